#pragma once

/// Nothing to be called: what is here stands in for a part of Swift's runtime where that is linked into a program.
