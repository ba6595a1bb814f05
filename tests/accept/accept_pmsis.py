"""A network's program against the public headers of PMSIS, where MEMSIZE_PMSIS names rtos/pmsis of gap_sdk: every call has the types
of the SDK. What an RTOS of the SDK defines itself is in a header of this file's; nothing is linked."""

import os
import subprocess
from pathlib import Path

import network_samples
from support import SOURCE, Context, Skip, check, main, tool

NET = SOURCE / "src" / "runtime" / "target" / "net"
# Structures whose members are an RTOS' own, and the default devices of a board.
RTOS = """#ifndef PMSIS_H
#define PMSIS_H
#include <stddef.h>
#include <stdint.h>
struct pi_task { int own[16]; };
struct pi_cl_dma_cmd_s { int own[4]; };
#include "pmsis/pmsis_types.h"
#include "pmsis/device.h"
#include "pmsis/task.h"
#include "pmsis/cluster/cluster_sync/fc_to_cl_delegate.h"
#include "pmsis/cluster/cluster_team/cl_team.h"
#include "pmsis/cluster/dma/cl_dma.h"
#include "pmsis/rtos/malloc/cl_l1_malloc.h"
#include "pmsis/rtos/malloc/l2_malloc.h"
#include "pmsis/rtos/os_frontend_api/os.h"
#include "bsp/flash/hyperflash.h"
#include "bsp/ram/hyperram.h"
uint32_t pi_core_id(void);
#define pi_default_flash_conf pi_hyperflash_conf
#define pi_default_flash_conf_init pi_hyperflash_conf_init
#define pi_default_ram_conf pi_hyperram_conf
#define pi_default_ram_conf_init pi_hyperram_conf_init
#endif
"""
MISTAKES = ("incompatible-pointer-types", "implicit-function-declaration", "int-conversion", "discarded-qualifiers")


def syntax(folder: Path, headers: Path, source: Path, *more: str) -> subprocess.CompletedProcess[str]:
    words = [tool("gcc"), "-fsyntax-only", "-std=gnu11", "-w", *(f"-Werror={name}" for name in MISTAKES), f"-I{folder}/rtos", "-isystem",
             f"{headers}/api/include", "-isystem", f"{headers}/bsp/include", f"-I{folder}/program/inc", *more, str(source)]
    return subprocess.run(words, capture_output=True, text=True)


def body(context: Context) -> str:
    if not os.environ.get("MEMSIZE_PMSIS"):
        raise Skip("MEMSIZE_PMSIS names no folder")
    headers = Path(os.environ["MEMSIZE_PMSIS"])
    check((headers / "api" / "include" / "pmsis" / "device.h").is_file(), f"{headers} is not rtos/pmsis of gap_sdk")
    network_samples.make(context.work / "network", 5)
    context.run("emit", "--board", "gap9", "--plan", context.work / "network" / "network_info.json", "--out", context.work / "program")
    (context.work / "rtos").mkdir()
    (context.work / "rtos" / "pmsis.h").write_text(RTOS)
    sources = sorted({*(context.work / "program" / "src").rglob("*.c"), *NET.glob("net_*.c")})
    for source in sources:
        done = syntax(context.work, headers, source)
        check(done.returncode == 0, f"{source}: {done.stderr[:1500]}")
    wrong = context.work / "wrong.c"
    wrong.write_text((context.work / "program" / "src" / "net" / "net_move.c").read_text().replace(
        "now, direction, &commands[slot])", "now, direction, commands[slot])"))
    check(syntax(context.work, headers, wrong).returncode != 0, "a call with another type passes")
    return f"{len(sources)} sources pass against {headers.name}'s headers, and a call with another type does not"


main(__doc__ or "", body)
