# Manual pages, and the header of structs; included by the Makefile.

# The program, each command and perf_to_profile have a manual page each.
MAN_PAGES := $(patsubst %,$(BUILD)/%.1,pdconv pdconv-report pdconv-annotate pdconv-diff pdconv-view pdconv-batch pdconv-symbolize pdconv-archive pdconv-record \
	pdconv-query pdconv-mcp pdconv-sql pdconv-list pdconv-info pdconv-dump perf_to_profile)
LIB_MAN_PAGES := $(BUILD)/libpdconv.3 $(BUILD)/libpdconv-structs.3

$(MAN_PAGES): $(BUILD)/%.1: $(BUILD)/pdconv
	$(q)$< $(patsubst pdconv-%,%,$(filter-out pdconv,$*)) --man >$@

$(BUILD)/libpdconv.3: doc/library.md
$(BUILD)/libpdconv-structs.3: $(BUILD)/structs.md
$(BUILD)/structs.md: include/pdconv/structs.h doc/structs_page.awk
	$(q)mkdir -p $(@D)
	$(q)awk -f doc/structs_page.awk $< >$@
$(LIB_MAN_PAGES): doc/roff.awk doc/man.awk Makefile doc/doc.mk
	$(q)mkdir -p $(@D)
	$(q)awk -v page=$(basename $(@F)) -v version=$(VERSION) -v date=$(VERSION_DATE) -f doc/roff.awk -f doc/man.awk $(filter %.md,$^) >$@

# A manual page for each function of the library. The list has their paths.
FUNCTION_PAGES := $(BUILD)/function_pages
$(FUNCTION_PAGES): doc/roff.awk doc/function_pages.awk $(HEADERS) Makefile
	$(q)rm -rf $(BUILD)/man3 && mkdir -p $(BUILD)/man3
	$(q)awk -v dir=$(BUILD)/man3 -v version=$(VERSION) -v date=$(VERSION_DATE) -f doc/roff.awk -f doc/function_pages.awk \
		$(filter %.h,$^) >$@

# The header is in the repository, for people and editors. The kind `library` compares it with the tables.
.PHONY: structs
structs: ## write include/pdconv/structs.h, after a change of the tables that it is made from
	$(q)$(CC) -E -P -I. -Iinclude -x c doc/structs.h | awk -f doc/structs.awk >include/pdconv/structs.h

# The page of the tables is in the repository, too. The test cli/sql/schema compares it with the program.
.PHONY: schema
schema: $(BUILD)/pdconv ## write doc/schema/tables.md, after a change of the tables of pdconv sql and -f sqlite
	$(q)$< sql --schema >doc/schema/tables.md
