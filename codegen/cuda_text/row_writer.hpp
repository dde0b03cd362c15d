#pragma once
// The writers of a kernel that walks rows, combined: the emitters that decide their order
// (reduce.cpp, chain.cpp) derive from it.

#include <string>

#include "codegen/cuda_text/combine.hpp"
#include "codegen/cuda_text/outer.hpp"
#include "codegen/cuda_text/reduce_layout.hpp"
#include "codegen/cuda_text/scan.hpp"
#include "codegen/cuda_text/walk.hpp"

namespace sinter::codegen::cuda_text {

class row_writer {
 protected:
  row_writer(const ir::kernel& k, writer& out)
      : kernel_(k),
        out_(out),
        layout_(k),
        accesses_(k, out),
        body_(k, out),
        combine_(k, layout_, body_, out),
        scan_(k, layout_, body_, out),
        outer_(k, layout_, accesses_, body_, out),
        walk_(k, layout_, accesses_, body_, combine_, scan_, out) {}

  int vector() const { return layout_.vector; }
  std::string rows() const { return product_of_extents(0, kernel_.kept); }
  std::string length() const {
    return product_of_extents(kernel_.kept, kernel_.kept + kernel_.reduced);
  }

  const ir::kernel& kernel_;
  writer& out_;
  reduce_layout layout_;
  access_writer accesses_;
  body_writer body_;
  combine_writer combine_;
  scan_writer scan_;
  outer_writer outer_;
  walk_writer walk_;
};

}  // namespace sinter::codegen::cuda_text
