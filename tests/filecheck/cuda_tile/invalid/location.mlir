// RUN: tile-opt %s --verify-diagnostics --split-input-file

// The scope of an entry is a subprogram of its name; its operations are in that or in none.

#file = #cuda_tile.di_file<"a.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#k = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit>
#other = #cuda_tile.di_subprogram<file = #file, line = 9, name = "other", linkageName = "other", compileUnit = #unit>
#block = #cuda_tile.di_lexical_block<scope = #k, file = #file, line = 2>
#stray = #cuda_tile.di_lexical_block<scope = #other, file = #file, line = 9>
cuda_tile.module @m {
  // expected-note@below:3 {{the entry is here}}
  // expected-note@below:3 {{the entry is here}}
  // expected-note@below:3 {{the entry is here}}
  entry @k(%a: tile<i32>) {
    %0 = addi %a, %a : tile<i32> loc(#cuda_tile.di_loc<loc("a.py":2:3) in #k>)
    %1 = addi %a, %a : tile<i32> loc(#cuda_tile.di_loc<loc("a.py":2:3) in #block>)
    // expected-error@below:10 {{'cuda_tile.addi' op its location is in the subprogram 'other', but its entry is 'k'}}
    %2 = addi %a, %a : tile<i32> loc(#cuda_tile.di_loc<loc("a.py":9:3) in #other>)
    // expected-error@below:10 {{'cuda_tile.addi' op its location is in the subprogram 'other', but its entry is 'k'}}
    %3 = addi %a, %a : tile<i32> loc(#cuda_tile.di_loc<loc("a.py":9:3) in #stray>)
    %4 = addi %a, %a : tile<i32> loc(callsite(#cuda_tile.di_loc<loc("a.py":9:3) in #other> at #cuda_tile.di_loc<loc("a.py":2:3) in #k>))
    // expected-error@below:10 {{'cuda_tile.addi' op its location is in the subprogram 'other', but its entry is 'k'}}
    %5 = addi %a, %a : tile<i32> loc(callsite(#cuda_tile.di_loc<loc("a.py":2:3) in #k> at #cuda_tile.di_loc<loc("a.py":9:3) in #other>))
    %6 = addi %a, %a : tile<i32> loc("a.py":2:3)
    return
  } loc(#cuda_tile.di_loc<loc("a.py":1:1) in #k>)
}

// -----

#file = #cuda_tile.di_file<"a.py" in "/src">
#unit = #cuda_tile.di_compile_unit<file = #file>
#k = #cuda_tile.di_subprogram<file = #file, line = 1, name = "k", linkageName = "k", compileUnit = #unit>
#block = #cuda_tile.di_lexical_block<scope = #k, file = #file, line = 2>
cuda_tile.module @m {
  // expected-error@below:3 {{'cuda_tile.entry' op the scope of '@renamed' has the linkageName 'k', they must be equal}}
  entry @renamed() {
    return
  } loc(#cuda_tile.di_loc<loc("a.py":1:1) in #k>)
  // expected-error@below:3 {{'cuda_tile.entry' op the scope of an entry's location must be a di_subprogram}}
  entry @k() {
    return
  } loc(#cuda_tile.di_loc<loc("a.py":1:1) in #block>)
  // expected-error@below:3 {{'cuda_tile.entry' op the location of an entry cannot be a call site}}
  entry @called() {
    return
  } loc(callsite(#cuda_tile.di_loc<loc("a.py":1:1) in #k> at #cuda_tile.di_loc<loc("a.py":1:1) in #k>))
  // expected-note@below:3 {{the entry is here}}
  entry @unscoped(%a: tile<i32>) {
    // expected-error@below:10 {{'cuda_tile.addi' op its location is in the subprogram 'k', but its entry's is in none}}
    %0 = addi %a, %a : tile<i32> loc(#cuda_tile.di_loc<loc("a.py":2:3) in #k>)
    return
  }
  // expected-error@below:3 {{'cuda_tile.global' op a global is in no subprogram, but its location is}}
  global @g <i32: [1]> : tile<1xi32> loc(#cuda_tile.di_loc<loc("a.py":2:3) in #k>)
}

// -----

#file = #cuda_tile.di_file<"a.py" in "/src">
cuda_tile.module @m {
  entry @k() {
    return
  // expected-error@below:9 {{expected a local scope: di_subprogram or di_lexical_block}}
  } loc(#cuda_tile.di_loc<loc("a.py":1:1) in #file>)
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error@below:24 {{alias '#missing' is not defined}}
    return loc(#missing)
  }
}

// -----

#a = #cuda_tile.di_file<"a.py" in "/src">
// expected-error@below:1 {{alias '#a' is defined twice}}
#a = #cuda_tile.di_file<"b.py" in "/src">
cuda_tile.module @m {
}

// -----

// expected-error@below:41 {{unknown field 'fiel', expected one of file}}
#unit = #cuda_tile.di_compile_unit<fiel = "a.py">
cuda_tile.module @m {
}
