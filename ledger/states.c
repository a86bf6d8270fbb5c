#include "ledger/states.h"

#include <stdbool.h>
#include <string.h>

/* task_state_array[] of Linux since 4.14. */
static const struct led_states present_states = { .off = 0xff, .dead = 0x30, .disk = 2 };

/* Letters of states in which a thread has ended: EXIT_DEAD, EXIT_ZOMBIE, TASK_DEAD. */
static const char dead_letters[] = "XZx";

static bool has_letters(const struct parse_print_node *node)
{
	bool is_list = node->op == PD_PRINT_FLAGS || node->op == PD_PRINT_SYMBOLIC;

	for (size_t i = 0; is_list && i < node->n_pairs; i++) {
		if (node->pairs[i].len == 1 && node->pairs[i].text[0] == 'S')
			return true;
	}
	return false;
}

/* The node that prints letters, in @p node or below it; NULL: there is none. */
static const struct parse_print_node *find_letters(const struct parse_print_node *node)
{
	const struct parse_print_node *found;

	if (!node || has_letters(node))
		return node;
	found = find_letters(node->a);
	if (!found)
		found = find_letters(node->b);
	return found ? found : find_letters(node->c);
}

static struct led_states read_letters(const struct parse_print_node *node)
{
	struct led_states states = { 0 };

	for (size_t i = 0; i < node->n_pairs; i++) {
		const struct parse_print_pair *pair = &node->pairs[i];

		if (pair->len != 1)
			continue;
		states.off |= pair->number;
		if (strchr(dead_letters, pair->text[0]))
			states.dead |= pair->number;
		if (pair->text[0] == 'D')
			states.disk |= pair->number;
	}
	return states;
}

struct led_states led_states_of(const struct parse_print_format *format)
{
	for (size_t i = 0; format && i < format->n_pieces; i++) {
		const struct parse_print_node *node = find_letters(format->pieces[i].arg);

		if (node)
			return read_letters(node);
	}
	return present_states;
}

enum led_reason led_states_reason(const struct led_states *states, uint64_t prev_state)
{
	if (prev_state & states->dead)
		return LED_DIES;
	return prev_state & states->off ? LED_BLOCKS : LED_PREEMPTED;
}
