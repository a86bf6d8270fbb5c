# The BPF programs of the recorder, and the sources that load them. They need clang and libbpf; BPF= builds without them.

BPF_CLANG ?= clang
BPF_FLAGS := -O2 -g -target bpf -ffreestanding -Wall -Wextra -I. -ffile-prefix-map=$(CURDIR)=.
BPF_FLAGS_x86_64 := -D__TARGET_ARCH_x86
BPF_FLAGS_aarch64 := -D__TARGET_ARCH_arm64
BPF ?= $(if $(BPF_FLAGS_$(MACHINE)),$(shell pkg-config --exists libbpf 2>/dev/null && command -v $(BPF_CLANG)))
BPF_SRCS := $(patsubst %,capture/bpf/%.c,bpf_program bpf_files bpf_processes table_loader table_pool task_regs)

BPF_OBJECT := $(BUILD)/bpf/sample.bpf.o
REGS_OBJECT := $(BUILD)/bpf/registers.bpf.o
$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h) Makefile bpf/bpf.mk
	$(q)mkdir -p $(@D)
	$(call msg,BPF,$<)$(BPF_CLANG) $(BPF_FLAGS) $(BPF_FLAGS_$(MACHINE)) \
		$(addprefix -idirafter /usr/include/,$(shell $(CC) -print-multiarch 2>/dev/null)) -c -o $@ $<

$(BUILD)/capture/bpf/bpf_program.o: ALL_CFLAGS += -DPD_BPF_OBJECT='"$(BPF_OBJECT)"'
$(BUILD)/capture/bpf/bpf_program.o: $(BPF_OBJECT)
$(BUILD)/capture/bpf/task_regs.o: ALL_CFLAGS += -DPD_REGS_OBJECT='"$(REGS_OBJECT)"'
$(BUILD)/capture/bpf/task_regs.o: $(REGS_OBJECT)
