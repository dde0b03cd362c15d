#pragma once
// Element addressing: coordinates, offsets, vectors in registers.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/cuda_text/writer.hpp"
#include "ir/kernel.hpp"

namespace sinter::codegen::cuda_text {

inline constexpr int warp = 32;  // threads

/// What a thread handles at a time: `unroll` vectors of `vector` lanes along a domain axis. In the
/// text `u` counts vectors and `k` lanes, where there are several.
struct frame {
  int axis = 0;
  int vector = 1;
  int unroll = 1;
  bool partial = false;   // only the first lanes of a vector may be in range
  bool empty = false;     // or with none
  std::string left = {};  // the variable with the number of lanes in range, if it may be fewer
  std::string first = {};   // the variable with the first lane of the row, if lanes before it
                            // belong to another
  std::string inside = {};  // the variable that tells whether shifted vectors have whole ones
                            // around them

  bool guarded() const { return partial || empty; }
  /// The condition under which lane `k` stands for an element; empty if it always does.
  std::string lane_in_range() const;
};

using operand_list = std::vector<int>;

class access_writer {
 public:
  access_writer(const ir::kernel&, writer&);

  const std::string& name(int operand) const { return names_[static_cast<std::size_t>(operand)]; }

  /// Declares the coordinates of axes [first, last), given the row-major number of the element.
  void coordinates(const std::string& linear, int first, int last);

  /// Declares the coordinates of each lane of a flat map's vector from those of its first element:
  /// counting on is cheaper than another division.
  void lane_coordinates(const frame&);

  /// The same if a vector crosses at most one row end: which lane is the first of the next row, if
  /// any, and its coordinates.
  void next_row(const frame&);

  /// A coordinate that already has this name.
  void place(int axis, std::string name) {
    coordinates_[static_cast<std::size_t>(axis)] = std::move(name);
  }

  /// Where the row of an operand begins, from the coordinates of the kept axes except the last.
  std::string row_of(int operand) const;

  /// The lanes of an operand are at this place, not in registers.
  void supply(int operand, std::string place) { at(operand).place = std::move(place); }

  /// Lets whole warps of such blocks store interleaved runs of rows (operand::apart) together,
  /// through shared memory, if all of them fit there. REQUIRES: consecutive threads have
  /// consecutive vectors.
  void write_runs_by_warps(int threads);

  /// The elements of an operand are in `array`, those of the thread's row from `row` on.
  void stage(int operand, std::string array, std::string row) {
    at(operand).array = std::move(array);
    at(operand).row = std::move(row);
  }

  /// Declares the contribution of the kept axes to offsets that reduced axes also contribute to.
  void rows(const operand_list&);

  /// Declares offsets: the contribution of axes [first, last), added to what `rows` declared.
  void offsets(const operand_list&, int first, int last);

  /// Replaces an output's access by this offset and this distance between lanes.
  void redirect(int operand, std::string offset, std::string stride);

  /// Declares the registers of operands, for all vectors of the frame.
  void registers(const frame&, const operand_list&);

  /// Loads one vector of each operand; without unrolling it declares the registers as well.
  void load(const frame&, const operand_list&);

  /// Declares the variable `inside`, from the number of lanes in range; for inputs that are
  /// shifted.
  void inside(frame&, const operand_list&);

  /// The condition under which the row has enough elements before and after a vector in range that
  /// the aligned vectors around it lie in the row, wherever it begins.
  std::string surrounded(const frame&) const;

  /// Where an operand's part of the thread's row begins, as `rows` declared it.
  std::string begin_of(int operand) const;
  /// The same of the row that this coordinate of the only kept axis stands for.
  std::string begin_of(int operand, const std::string& row) const;

  /// Loads one vector of each operand into registers declared before.
  void fill(const frame&, const operand_list&);

  /// The address of a vector's first lane, whose offset is declared.
  std::string address(int operand) const;

  /// Stores one vector from the registers. Single elements without a guard are already in memory.
  void store(const frame&, const operand_list&);

  /// The register of an operand that holds lane `k`.
  std::string lane(const frame&, int operand) const;
  /// The value of an index operand in lane `k`, or the element number of a gathered operand.
  std::string index(const frame&, int operand) const;
  /// Do the lanes of an index operand have consecutive values? `first` is the value of lane 0.
  bool is_consecutive(const frame& f, int operand) const;
  const std::string& first(int operand) const { return at(operand).offset; }
  /// Is an operand's element, or its index, the same in all lanes?
  bool lanes_agree(const frame& f, int operand) const {
    return !is_picked(operand) && stride(f, operand) == "0";
  }

 private:
  struct state {
    std::string row;     // the offset as far as `rows` declared it
    std::string offset;  // of lane 0
    std::string stride;  // between lanes, if `redirect` gave one
    std::string place;   // of a lane, if `supply` gave one
    std::string array;   // if `stage` gave one
    int run = -1;        // index of the run in `runs_` it belongs to
  };

  /// The elements that adjacent operands (operand::turn) read: vectors of registers, the first of
  /// which begins `start` elements after the base's first. Turns are in [low, high].
  struct run {
    int base;
    operand_list members;
    int start, low, high;
    int vectors = 0;
  };

  const ir::operand& operand(int which) const {
    return kernel_.operands[static_cast<std::size_t>(which)];
  }
  state& at(int which) { return states_[static_cast<std::size_t>(which)]; }
  const state& at(int which) const { return states_[static_cast<std::size_t>(which)]; }

  /// The operand whose offset stands for all that move like this one.
  int model(int which) const { return operand(which).like >= 0 ? operand(which).like : which; }

  const std::string& array(int which) const {
    return at(which).array.empty() ? name(which) : at(which).array;
  }
  bool is_direct(const frame&, int operand) const;
  void add_step(std::string& sum, int operand, int axis, const std::string& coordinate) const;
  std::string sum(int operand, int first, int last) const;
  std::string stride(const frame&, int operand) const;
  bool is_scalar(const frame&, int operand) const;
  std::string element(const frame&, int operand, std::string_view lane) const;
  std::string picked(int operand) const;
  void pick_rows(int operand);
  void load_picked(const frame&, int operand, bool whole);
  bool is_picked(int which) const { return operand(which).reach == ir::reach::picked; }
  std::string vector_of(const frame&, int operand) const;
  std::string declaration(const frame&, int operand) const;
  bool is_shifted(int which) const { return operand(which).reach == ir::reach::shifted; }
  bool takes_turns(const frame&, int operand) const;
  operand_list turns_of(int base) const;
  std::string turn_of(const frame&, int base, std::size_t place) const;
  int run_vectors(const frame&, int base) const;
  bool goes_by_warps(const frame&, int base) const;
  void declare_run(const frame&, int base);
  void load_turns(const frame&, int base);
  void store_turns(const frame&, int base);
  std::optional<run> run_of(const frame&, int base, const operand_list&) const;
  void find_runs(const frame&, const operand_list&);
  void load_run(const frame&, int operand, bool whole);
  void load_vector(const frame&, int operand, bool whole);
  bool reads_lanes(int operand) const;
  void fill_first(const frame&, const operand_list&);
  void store_first(const frame&, const operand_list&);
  void store_vector(const frame&, int operand, bool whole);
  void each_lane(const frame&, bool whole, const std::string& statement);

  const ir::kernel& kernel_;
  writer& out_;
  int threads_ = 0;  // per block, if its warps write runs together; 0: each thread its own
  std::vector<std::string> names_;
  std::vector<std::string> coordinates_;
  std::vector<state> states_;
  std::vector<run> runs_;
};

/// `sinter_unravel_2` etc.: functions of the text that compute offsets of unravelled operands.
void write_unravel_functions(const ir::kernel&, writer&);

/// The product of the extents of axes [first, last), as an operand.
std::string product_of_extents(int first, int last);

}  // namespace sinter::codegen::cuda_text
