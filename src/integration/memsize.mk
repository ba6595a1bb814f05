# The memory map, or a part's module, as a step of a build with GNU make. After
#
#   MEMSIZE_BOARD := j784s4
#   MEMSIZE_TRACE := trace.log
#   -include /usr/local/share/memsize/memsize.mk
#
# these targets are there, none of which becomes the default:
#
#   memsize-emit    writes the files; those that would not change are not touched
#   memsize-check   fails where the files are not what memsize would write
#   memsize-diff    shows what memsize-emit would change
#   memsize-revert  puts an SDK tree back (MEMSIZE_SDK)
#
# What may be set, all of it optional; a memsize.toml of make's working directory is used too:
#
#   MEMSIZE          the program; default: the one that this file was installed with
#   MEMSIZE_BOARD    a bundled board, or the path of a board file
#   MEMSIZE_TRACE    logs, or
#   MEMSIZE_SIZING   a document that analyze --json wrote
#   MEMSIZE_SET      KNOB=SIZE, several
#   MEMSIZE_PLAN     reports of one model, whose module is written instead of a map, with
#   MEMSIZE_DATA     the model, or a folder of ID.bin and ID.npy, and
#   MEMSIZE_RULES    where tensors go
#   MEMSIZE_OUT      the folder to write to, or
#   MEMSIZE_SDK      the SDK tree, and
#   MEMSIZE_LINUX    the kernel's tree that belongs to it
#   MEMSIZE_PROJECT  a project file elsewhere
#   MEMSIZE_FLAGS    anything else that memsize emit takes
#
# Paths must not have blanks in them: make takes a blank for the end of a word.

memsize_kept_goal := $(.DEFAULT_GOAL)
memsize_prefix := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../..)

MEMSIZE ?= $(or $(wildcard $(memsize_prefix)/bin/memsize),memsize)

# Expanded where it is used, so that what it is made of may be set behind the include.
memsize_words = \
  $(if $(MEMSIZE_PROJECT),--project $(MEMSIZE_PROJECT)) \
  $(if $(MEMSIZE_BOARD),--board $(MEMSIZE_BOARD)) \
  $(foreach log,$(MEMSIZE_TRACE),--trace $(log)) \
  $(if $(MEMSIZE_SIZING),--sizing $(MEMSIZE_SIZING)) \
  $(foreach setting,$(MEMSIZE_SET),--set $(setting)) \
  $(foreach plan,$(MEMSIZE_PLAN),--plan $(plan)) \
  $(if $(MEMSIZE_DATA),--data $(MEMSIZE_DATA)) \
  $(if $(MEMSIZE_RULES),--rules $(MEMSIZE_RULES)) \
  $(if $(MEMSIZE_OUT),--out $(MEMSIZE_OUT)) \
  $(if $(MEMSIZE_SDK),--sdk $(MEMSIZE_SDK)) \
  $(if $(MEMSIZE_LINUX),--linux $(MEMSIZE_LINUX)) \
  $(MEMSIZE_FLAGS)

.PHONY: memsize-emit memsize-check memsize-diff memsize-revert

memsize-emit:
	@$(MEMSIZE) emit $(strip $(memsize_words))

memsize-check:
	@$(MEMSIZE) emit $(strip $(memsize_words)) --check

memsize-diff:
	@$(MEMSIZE) emit $(strip $(memsize_words)) --diff

memsize-revert:
	@$(if $(MEMSIZE_SDK),,$(error memsize-revert: MEMSIZE_SDK must name the SDK tree))$(MEMSIZE) sdk revert \
	  --sdk $(MEMSIZE_SDK) $(if $(MEMSIZE_LINUX),--linux $(MEMSIZE_LINUX))

.DEFAULT_GOAL := $(memsize_kept_goal)
