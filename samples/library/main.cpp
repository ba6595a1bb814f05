// size_map BOARD LOG FOLDER: the memory map that a board should have, by the log of a model.
#include "memsize/app/map.hpp"

#include <iostream>

using namespace memsize;

static int fail(const core::Diagnostics& errors) {
  for (const core::Diagnostic& error : errors) {
    const std::string& path = error.place.path.str();
    std::cerr << (path.empty() ? "size_map" : path) << ": " << error.message << "\n"
              << error.hint << "\n";
  }
  return static_cast<int>(core::exit_status(errors));
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "size_map BOARD LOG FOLDER\n";
    return 2;
  }
  core::RealFileSystem files;
  app::Session session{files, app::data_folders(files, MEMSIZE_DATA)};

  // Reads the log, sizes the heaps, lays the map out, renders it, and checks all of that.
  app::EmitRequest request;
  request.board.name = argv[1];
  request.trace.inputs = {argv[2]};
  const auto map = app::render(session, request);
  if (!map) {
    return fail(map.error());
  }
  for (const sizing::CoreSizing& core : map->analysis->sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      if (demand.suggested) {
        std::cout << demand.region << ": " << demand.suggested->count() << " bytes\n";
      }
    }
  }
  const auto written = app::write_map(session, argv[3], *map);
  if (!written) {
    return fail(written.error());
  }
  std::cout << written->size() << " files in " << argv[3] << "\n";
}
