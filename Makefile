# `make test` and `make demo` need only Swift, a C compiler and make: `scripts/setup` provides the rest, and changes
# neither your sound server nor your settings.

swift ?= swift
sources := Sources Tests examples Benchmarks Package.swift
strict := -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
# Tests that compute keep all cores busy, and would delay the sound of other tests.
computing := ^(SessionPolicy|AudioRealtime|AudioFiles|AudioGraph|TimeStretch|SessionHistory)Tests|RecorderFormat(Matrix|Property)Tests|(TimeEffect|EveryNode)Tests
# Times and excuses of a run; see scripts/test-report.
export AVFAUDIO_TEST_RECORD ?= $(CURDIR)/.build/test-record
report := scripts/test-report
# The complete events of tests: SwiftPM loses printed lines if a character of several bytes falls between two reads.
events = --event-stream-output-path $(AVFAUDIO_TEST_RECORD)/events-
# Further arguments of the build and of the tests.
flags ?=
thread := --sanitize=thread --scratch-path .build-tsan
# Leaks are not searched: programs that end with exit() leave memory of the runtime and ArgumentParser.
address := --sanitize=address --scratch-path .build-asan
export AVFAUDIO_SERVERS ?= $(CURDIR)/.build/servers/root

.PHONY: help setup build release library check-library check-memory install uninstall check-ffmpeg check-install dist deb check-apps demo test test-servers lint check check-safety check-doors check-symbols tsan asan rtsan examples bench soak clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## bring missing development packages, and servers for tests (unpacked, never installed)
	@scripts/setup
	@mkdir -p .build

build: setup ## build everything but the benchmarks, for debugging
	$(swift) build --build-tests $(flags)

release: setup ## build the program audiosession, optimised and without the Swift runtime as a dependency
	@SWIFT="$(swift)" scripts/build-release audiosession

library: setup ## build the C library, optimised, with the Swift runtime inside
	@SWIFT="$(swift)" scripts/build-library

check-library: setup ## the C library as it is given out, and programs in C with it (after `make build`)
	@SWIFT="$(swift)" scripts/check-library

check-memory: setup ## programs in C with AddressSanitizer and under Memcheck, with the C library (after `make build library`)
	@SWIFT="$(swift)" scripts/check-memory

install: ## copy audiosession and the C library below PREFIX (/usr/local) in DESTDIR (after `make release library`)
	@scripts/install

check-ffmpeg: setup ## decode and encode with FFmpeg of other releases of Debian, in one build that has a module for each
	@scripts/ffmpeg headers >/dev/null
	@for release in debian-13 debian-testing; do scripts/ffmpeg $$release >/dev/null || [ $$? = 69 ] || exit 1; done
	$(swift) build --build-tests $(flags)
	$(swift) test --skip-build $(flags) --filter 'MajorTests|MissingLibraryTests'

uninstall: ## remove what `make install` copied
	@scripts/install --remove

check-install: ## install into a folder of its own, use what is there, remove it (after `make release library`)
	@scripts/check-install

dist: ## the sources of the last commit as an archive, in .build/dist
	@scripts/build-dist

deb: ## packages for Debian and Ubuntu, in .build/deb (after `make release library`)
	@scripts/build-deb

check-apps: ## the packages in clean userlands of Debian, with programs in C and Python (after `make deb`; as root)
	@scripts/check-apps

demo: setup ## play three acts (or FILE=…), record what is heard, and report on it
	@scripts/demo $${FILE:+"$$FILE"}

# The bundle is built once, for both parts.
test: ## every test, on private sound servers of its own
	@$(report) begin
	@$(report) part setup scripts/setup
	@$(report) part build $(swift) build --build-tests $(flags)
	@$(report) part computing $(swift) test --skip-build $(flags) --filter '$(computing)' $(events)computing.jsonl
	@$(report) part sound $(swift) test --skip-build $(flags) --skip '$(computing)' $(events)sound.jsonl
	@$(report) end

test-servers: build ## the tests with servers, on those of other releases too (SERVERS="debian-13 …")
	@SWIFT="$(swift)" FLAGS="$(flags)" scripts/test-servers '$(computing)' $(SERVERS)

lint: setup ## the formatter's opinion of all sources
	$(swift) format lint --strict --parallel --recursive $(sources)

check: lint check-safety check-symbols ## what a submission is judged by: all of the below, warnings are errors
	AVFAUDIO_BENCHMARKS=1 $(swift) build --build-tests $(strict)
	AVFAUDIO_BENCHMARKS=1 $(MAKE) check-doors flags='$(strict)'
	AVFAUDIO_FUZZ_SECONDS=10 $(MAKE) test flags='$(strict)'
	$(swift) build --disable-default-traits --scratch-path .build-traits --product player $(strict)
	$(MAKE) release check-library check-memory check-install examples tsan asan rtsan

check-safety: ## every unchecked promise to the compiler says what keeps it
	@scripts/check-safety

check-doors: setup ## the floors keep to their doors, the session is without Foundation, and what is gone stays gone
	@SWIFT="$(swift)" scripts/check-doors $(flags)

check-symbols: ## docs/symbols.md is what scripts/symbols makes
	@scripts/symbols --check

tsan: export TSAN_OPTIONS = suppressions=$(CURDIR)/scripts/tsan-suppressions halt_on_error=0
tsan: ## the tests under ThreadSanitizer
	$(MAKE) test flags='$(thread)'

asan: export ASAN_OPTIONS = detect_leaks=0
asan: ## the tests under AddressSanitizer
	$(MAKE) test flags='$(address)'

rtsan: setup ## the sound thread's code under RealtimeSanitizer
	scripts/check-realtime

examples: setup ## every example program, run against a private server
	scripts/check-examples

bench: setup ## the player beside other players: time, processor, memory
	@scripts/bench

soak: setup ## play and record for MINUTES (10), watching for gaps and growing memory
	@scripts/soak $(or $(MINUTES),10)

clean: ## remove everything that was built or unpacked
	rm -rf .build .build-*
