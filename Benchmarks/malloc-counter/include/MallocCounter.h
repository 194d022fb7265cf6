// Counts what a program allocates, for benchmarks: linking it puts a counter in front of the C library's allocator.
#pragma once

/// Allocations of this thread since it started.
unsigned long malloc_counter_of_thread(void);
