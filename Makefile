# Short names for CMake presets (CMakePresets.json) and for scripts/.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# Debian's service for Redis may run code below /usr/lib only.
REDIS_MODULE_DIR ?= /usr/lib/redis/modules
export JOBS

SHELL := /bin/bash
.SHELLFLAGS := -eo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run redis-demo test quick command build python bench bench-python pictures choosing peers docs experiments soak fuzz install dist package format tidy clean

help:  ## show this list
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20

run: command  ## build, then generate a day of traffic, profile it and query the past
	@rm -rf build/day.log build/day.bloomtime
	@build/bin/bloomtime generate --records 1M --items 1M > build/day.log
	@build/bin/bloomtime profile build/day.log --table
	@echo; echo 'Was the busiest host there between 4:00 and 4:05, and when was it?'
	@build/bin/bloomtime seen build/day.bloomtime 161.89.109.122 --field host \
	  --from 2014-01-01T04:00 --to 2014-01-01T04:05 --table
	@build/bin/bloomtime timeline build/day.bloomtime 161.89.109.122 --field host -n 3 --table
	@echo; echo 'The command is build/bin/bloomtime; make install puts it into $(PREFIX)/bin.'
	@echo 'See this day in a browser: build/bin/bloomtime serve build/day.bloomtime'

redis-demo: build  ## a private Redis server with the module: duplicates, hot pages, the past of a day of clicks
	@scripts/setup build test
	@scripts/redis_demo

test:  ## all fast tests: g++ release, and clang with address and undefined behaviour sanitizers
	@scripts/test

quick:  ## the unit tests of changed files, or of AREA=heat, unoptimised; under a minute
	@scripts/setup build test
	@scripts/quick $(AREA)

command:  ## the command only: build/bin/bloomtime
	@scripts/setup build
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target bloomtime_cli

build:  ## the command, the library and the Redis module: build/bin/bloomtime, build/lib
	@scripts/setup build
	@cmake --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target src/all cli/all redis/all

python:  ## the wheel of the Python package: build/python, for `pip install`
	@scripts/setup build python
	@mkdir -p build/python
	@/usr/bin/python3 -m pip wheel --quiet --no-build-isolation --no-deps --no-index \
	  --wheel-dir build/python .
	@ls build/python/*.whl

bench:  ## measure speed on this machine into docs/benchmarks.txt, and beside other libraries into docs/peers.md
	@scripts/setup build bench
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench -j $(JOBS)
	@cmake --preset bench-v2 >/dev/null
	@cmake --build --preset bench-v2 -j $(JOBS)
	@mkdir -p docs
	@(build/bench/bin/bloomtime_bench; build/bench/bin/bloomtime_ratios; \
	  build/bench-v2/bin/bloomtime_ratios) | tee docs/benchmarks.txt
	@build/bench/bin/bloomtime_peers > build/peers.md
	@mv build/peers.md docs/peers.md

pictures: build  ## draw docs/pictures anew: the report, the live page, a terminal session
	@scripts/setup web
	@scripts/pictures

bench-python: python  ## measure the Python package against C++, set, dict and Counter
	@bench/python

choosing:  ## measure which engine suits which question, up to ITEMS (10^8), into docs/choosing.md
	@scripts/setup build bench
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench -j $(JOBS) --target bloomtime_choosing
	@build/bench/bin/bloomtime_choosing $(ITEMS) > build/choosing.md
	@mv build/choosing.md docs/choosing.md

peers:  ## measure abseil, Roaring, SQLite and Redis beside bloomtime, into docs/peers.md
	@scripts/setup build bench
	@cmake --preset bench >/dev/null
	@cmake --build --preset bench -j $(JOBS) --target bloomtime_peers
	@build/bench/bin/bloomtime_peers $(ITEMS) > build/peers.md
	@mv build/peers.md docs/peers.md

docs: command  ## the documentation as a site: build/docs/index.html; draws its figures, lists all options
	@scripts/setup docs
	@scripts/primer
	@scripts/reference
	@scripts/site

experiments:  ## reproduce the papers' figures and tables
	@experiments/run

soak:  ## hours of tests: thread sanitizer, large oracles, fuzzing, mutations; logs to docs/soak.log
	@scripts/soak

fuzz:  ## run every fuzzer for FUZZ_SECONDS (60)
	@scripts/fuzz

install: build  ## install to PREFIX (/usr/local) and REDIS_MODULE_DIR, under DESTDIR if set
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"
	@install -D -m 755 build/lib/bloomtime.so "$(DESTDIR)$(REDIS_MODULE_DIR)/bloomtime.so"
	@if [[ -z "$(DESTDIR)" && $$(id -u) == 0 ]]; then ldconfig; fi  # of the shared library

dist:  ## a tarball of what is committed: build/bloomtime-VERSION.tar.gz
	@scripts/dist

package:  ## Debian packages of what is committed: build/packages
	@scripts/setup build python package
	@scripts/package

format:  ## format all sources in place
	@scripts/setup dev
	@git ls-files -co --exclude-standard '*.cpp' '*.hpp' | xargs -r clang-format -i

tidy:  ## check src and cli with clang-tidy
	@scripts/setup build test dev
	@cmake --preset quick >/dev/null
	@run-clang-tidy -quiet -p build/quick -j $(JOBS) '$(CURDIR)/(src|cli)/'

clean:  ## remove build/
	@rm -rf build
