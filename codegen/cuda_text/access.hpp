#pragma once
// Where elements are and how threads get them: coordinates, offsets, vectors in registers.

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
  bool partial = false;   // a vector may be in range with its first lanes only
  bool empty = false;     // or with none
  std::string left = {};  // the variable that says how many are, where they may be fewer
  std::string first = {};   // the one that says which lane is the first of the row, where lanes
                            // before it are of another
  std::string inside = {};  // the one that says whether shifted vectors have whole ones around

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

  /// Declares the coordinates of each lane of a flat map's vector, given those of its first
  /// element: to count on is less than to divide again.
  void lane_coordinates(const frame&);

  /// The same where a vector meets one row's end at most: which lane is the first of the next row,
  /// if any is, and the coordinates there.
  void next_row(const frame&);

  /// A coordinate that is known by this name already.
  void place(int axis, std::string name) {
    coordinates_[static_cast<std::size_t>(axis)] = std::move(name);
  }

  /// Where the row of an operand begins, by the coordinates of the kept axes but the last.
  std::string row_of(int operand) const;

  /// Lanes of an operand are in this place, not in registers.
  void supply(int operand, std::string place) { at(operand).place = std::move(place); }

  /// Whole warps of such blocks write runs of rows (operand::apart) together, by way of shared
  /// memory, if all of them fit there. REQUIRES: threads that follow each other have vectors that
  /// do.
  void write_runs_by_warps(int threads);

  /// The elements of an operand are in `array`, those of the thread's row from `row` on.
  void stage(int operand, std::string array, std::string row) {
    at(operand).array = std::move(array);
    at(operand).row = std::move(row);
  }

  /// Declares what the kept axes contribute to offsets that reduced axes contribute to as well.
  void rows(const operand_list&);

  /// Declares offsets: the contribution of axes [first, last), on top of what `rows` declared.
  void offsets(const operand_list&, int first, int last);

  /// Sets the offset of an output, and the distance of its lanes, in place of its access.
  void redirect(int operand, std::string offset, std::string stride);

  /// Declares the registers of operands, all vectors of the frame.
  void registers(const frame&, const operand_list&);

  /// Loads one vector of each operand; without unrolling it declares the registers as well.
  void load(const frame&, const operand_list&);

  /// Declares the variable `inside`, given how many lanes are in range; of inputs that are shifted.
  void inside(frame&, const operand_list&);

  /// The condition under which the row has so many elements before and behind a vector, which is
  /// in range itself, that the aligned ones around it are the row's wherever it begins.
  std::string surrounded(const frame&) const;

  /// Where an operand's part of the thread's row begins, as `rows` declared it.
  std::string begin_of(int operand) const;

  /// Loads one vector of each operand into registers declared before.
  void fill(const frame&, const operand_list&);

  /// Of the first lane of a vector, whose offset is declared.
  std::string address(int operand) const;

  /// Stores one vector from the registers. Single elements, unguarded, are in memory already.
  void store(const frame&, const operand_list&);

  /// The register of an operand that holds lane `k`.
  std::string lane(const frame&, int operand) const;
  /// The value of an index operand in lane `k`, or the element number of one that is gathered.
  std::string index(const frame&, int operand) const;
  /// Do the lanes of an index operand have consecutive values, and which is the first?
  bool is_consecutive(const frame& f, int operand) const;
  const std::string& first(int operand) const { return at(operand).offset; }
  /// Is what an operand has, or an index of it, the same in all lanes?
  bool lanes_agree(const frame& f, int operand) const {
    return !is_picked(operand) && stride(f, operand) == "0";
  }

 private:
  struct state {
    std::string row;     // the offset as far as `rows` declared it
    std::string offset;  // of lane 0
    std::string stride;  // between lanes, where `redirect` gave one
    std::string place;   // of a lane, where `supply` gave one
    std::string array;   // where `stage` gave one
    int run = -1;        // which of `runs_` it is a part of
  };

  /// Elements that operands beside each other read: vectors of registers, the first of which is
  /// `start` elements after what the base reads first. Turns are from `low` to `high`.
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

  /// What stands for all operands that move like this one.
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
  int threads_ = 0;  // of a block whose warps write runs together; 0: each thread its own
  std::vector<std::string> names_;
  std::vector<std::string> coordinates_;
  std::vector<state> states_;
  std::vector<run> runs_;
};

/// `sinter_unravel_2` and so on: functions of the text that offsets of unravelled operands call.
void write_unravel_functions(const ir::kernel&, writer&);

/// The product of the extents of axes [first, last), as an operand.
std::string product_of_extents(int first, int last);

}  // namespace sinter::codegen::cuda_text
