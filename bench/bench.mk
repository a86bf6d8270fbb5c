# Benchmarks, included by the Makefile.

.PHONY: bench bench-peers bench-unwind bench-reader

$(BUILD)/bench/%: $(BUILD)/bench/%.o $(LIB)
	$(call msg,LD,$@)$(CC) $(PROGRAM_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(ALL_LDLIBS)

bench: $(BUILD)/pdconv ## time pdconv against perf (FILE=perf.data, default: record three)
	$(q)python3 bench/run.py $(BUILD)/pdconv $(FILE)

bench-peers: $(BUILD)/pdconv ## time pdconv against the tools for the same tasks (FILE=perf.data, default: record two)
	$(q)python3 bench/peers.py $(BUILD)/pdconv $(FILE)

bench-unwind: $(BUILD)/pdconv $(BUILD)/bench/walks $(BUILD)/tests/oracle/dwfl ## time unwinding against libdwfl (FILE=perf.data)
	$(q)python3 bench/unwind.py $(BUILD) $(FILE)

bench-reader: $(BUILD)/pdconv ## time the reader on large recordings, against perf
	$(q)python3 bench/reader.py $(BUILD)/pdconv
