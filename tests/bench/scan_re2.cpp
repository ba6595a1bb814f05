// Reads TIDL's rows with RE2, one pattern a line, as a straightforward program would.
//   scan_re2 FILE
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include <re2/re2.h>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: scan_re2 FILE\n";
    return EXIT_FAILURE;
  }
  const RE2 row{
      R"(\[\s*(\S+)\s*\]\s*(\d+\.\d+)\s*s:\s*(\d+)\s*,\s*([^,]+?)\s*,\s*(\w+)\s*,\s*(\d+)\s*,\s*([\d.]+)\s*,\s*(0x[0-9a-fA-F]+))"};
  std::ifstream log{argv[1]};
  std::size_t rows = 0;
  double kib = 0;
  std::string line;
  re2::StringPiece core;
  re2::StringPiece time;
  re2::StringPiece space;
  re2::StringPiece lifetime;
  re2::StringPiece address;
  int number = 0;
  int alignment = 0;
  double size = 0;
  while (std::getline(log, line)) {
    if (RE2::PartialMatch(
            line, row, &core, &time, &number, &space, &lifetime, &alignment, &size, &address)) {
      ++rows;
      kib += size;
    }
  }
  std::cout << rows << " rows, " << kib << " KiB\n";
  return EXIT_SUCCESS;
}
