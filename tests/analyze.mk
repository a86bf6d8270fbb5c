# Static analysis, included by the Makefile: gcc -fanalyzer, cppcheck and clang-tidy.
#
# Each source has a result per tool: $(BUILD)/analysis/TOOL/SOURCE.ok. It is made if the tool finds nothing, so a run that
# was interrupted goes on where it stopped, and only what changed is analysed again. A finding is fixed, or has its
# exception with the reason next to the code: a comment `NOLINT(check): reason` or `cppcheck-suppress check; reason`, or
# a macro of base/analyzer.h for gcc. What a tool gets wrong everywhere is left out in .clang-tidy and tests/cppcheck.txt.

# Left out are the programs in tests/unwind/cases, tests/languages and testdata, which are recorded, and the unit tests:
# cmocka does not declare that a failed assertion does not return.
ANALYZED := $(LIB_SRCS) $(CMD_SRCS) $(wildcard $(addsuffix /*.c,examples bench tests/failures tests/fuzz \
	tests/fuzz/seeds tests/fuzz/targets tests/oracle tests/sandbox tests/unwind))
ANALYZERS := gcc cppcheck tidy
ANALYZED_OK = $(ANALYZED:%.c=$(BUILD)/analysis/$(1)/%.ok)

# The options of all sources, whichever of them need each definition.
ANALYZED_CFLAGS = $(ALL_CFLAGS) -DPD_LLVM_SONAME='"$(LLVM_SONAME)"' $(addprefix -isystem ,$(LLVM_INCLUDE)) \
	-DPD_NAMES_CODE='"$(NAMES_CODE_HASH)"' -DPD_ROWS_CODE='"$(ROWS_CODE_HASH)"' \
	-DPD_BPF_OBJECT='"$(BPF_OBJECT)"' -DPD_REGS_OBJECT='"$(REGS_OBJECT)"'

# Write the result $@ with the headers that it depends on.
analyzed = $(q)gcc $(ANALYZED_CFLAGS) -MM -MP -MT $@ -MF $(@:.ok=.deps) $< && touch $@

.PHONY: analyze $(ANALYZERS:%=analyze-%)

analyze: ## find errors with gcc -fanalyzer, cppcheck and clang-tidy in what changed since the last run
	$(q)$(MAKE) --no-print-directory --keep-going --output-sync $(JOBS) $(ANALYZERS:%=analyze-%)

$(foreach t,$(ANALYZERS),$(eval analyze-$(t): $(call ANALYZED_OK,$(t))))

$(BUILD)/analysis/gcc/%.ok: %.c Makefile tests/analyze.mk | $(PROTO_HDRS) $(PAGE_PARTS)
	$(q)mkdir -p $(@D)
	$(call msg,GCC,$<)gcc $(ANALYZED_CFLAGS) -O0 -U_FORTIFY_SOURCE -fanalyzer -DPD_GCC_ANALYZER -Werror -S -o /dev/null $<
	$(analyzed)

$(BUILD)/analysis/cppcheck/%.ok: %.c Makefile tests/analyze.mk tests/cppcheck.txt | $(PROTO_HDRS)
	$(q)mkdir -p $(@D)
	$(call msg,CPPCHECK,$<)cppcheck --quiet --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
		--suppressions-list=tests/cppcheck.txt --std=c11 --platform=unix64 -Iinclude -I. -I$(BUILD)/gen $<
	$(analyzed)

$(BUILD)/analysis/tidy/%.ok: %.c Makefile tests/analyze.mk .clang-tidy | $(PROTO_HDRS)
	$(q)mkdir -p $(@D)
	$(call msg,TIDY,$<)clang-tidy --quiet $< -- $(ANALYZED_CFLAGS)
	$(analyzed)

ifneq ($(filter analyze%,$(MAKECMDGOALS)),)
-include $(foreach t,$(ANALYZERS),$(patsubst %.ok,%.deps,$(call ANALYZED_OK,$(t))))
endif
