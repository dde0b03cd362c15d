#pragma once
/// sinter: lazy arrays with a JIT fusion engine.
///
/// `namespace sn = sinter;` Operations on arrays record a computation. Reading a value, printing or
/// `eval` runs it, in as few kernels as the optimizer finds.

#include <sinter/aliases.hpp>
#include <sinter/any_array.hpp>
#include <sinter/array.hpp>
#include <sinter/array_file.hpp>
#include <sinter/axis_number.hpp>
#include <sinter/bits.hpp>
#include <sinter/braces.hpp>
#include <sinter/closeness.hpp>
#include <sinter/constants.hpp>
#include <sinter/control.hpp>
#include <sinter/convolution.hpp>
#include <sinter/creation.hpp>
#include <sinter/editing.hpp>
#include <sinter/error.hpp>
#include <sinter/fast.hpp>
#include <sinter/fft.hpp>
#include <sinter/fitting.hpp>
#include <sinter/fmt.hpp>
#include <sinter/fuse.hpp>
#include <sinter/gradient.hpp>
#include <sinter/grids.hpp>
#include <sinter/histograms.hpp>
#include <sinter/indexing.hpp>
#include <sinter/interop.hpp>
#include <sinter/joining.hpp>
#include <sinter/linalg.hpp>
#include <sinter/masks.hpp>
#include <sinter/npy.hpp>
#include <sinter/numerics.hpp>
#include <sinter/operators.hpp>
#include <sinter/print.hpp>
#include <sinter/profile.hpp>
#include <sinter/products.hpp>
#include <sinter/put.hpp>
#include <sinter/quantiles.hpp>
#include <sinter/random.hpp>
#include <sinter/rearrange.hpp>
#include <sinter/reductions.hpp>
#include <sinter/scans.hpp>
#include <sinter/scatter.hpp>
#include <sinter/searching.hpp>
#include <sinter/session.hpp>
#include <sinter/sets.hpp>
#include <sinter/sorting.hpp>
#include <sinter/splitting.hpp>
#include <sinter/statistics.hpp>
#include <sinter/text_files.hpp>
#include <sinter/types.hpp>
#include <sinter/views.hpp>
#include <sinter/visit.hpp>
#include <sinter/vmap.hpp>
