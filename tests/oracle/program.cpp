// What is recorded here and now: dynamically linked, through the C library's callbacks, exceptions
// and recursion.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static volatile std::uint64_t sink;

static std::uint64_t mix(std::uint64_t x)
{
	for (int i = 0; i < 40; i++)
		x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x;
}

struct Node {
	std::uint64_t key;
	Node *left;
	Node *right;

	explicit Node(std::uint64_t k) : key(k), left(nullptr), right(nullptr)
	{
	}
	virtual ~Node() = default;

	__attribute__((noinline)) virtual std::uint64_t walk(int depth) const
	{
		std::uint64_t sum = mix(key + depth);

		if (left)
			sum += left->walk(depth + 1);
		if (right)
			sum += right->walk(depth + 1);
		return sum;
	}
};

static Node *insert(Node *node, std::uint64_t key)
{
	if (!node)
		return new Node(key);
	if (key < node->key)
		node->left = insert(node->left, key);
	else
		node->right = insert(node->right, key);
	return node;
}

static int compare(const void *a, const void *b)
{
	std::uint64_t x = mix(*static_cast<const std::uint64_t *>(a));
	std::uint64_t y = mix(*static_cast<const std::uint64_t *>(b));

	return x < y ? -1 : x > y;
}

__attribute__((noinline)) static std::uint64_t sort_with_callback(std::uint64_t n)
{
	std::vector<std::uint64_t> values(n);

	std::generate(values.begin(), values.end(), [&n] { return n = mix(n); });
	qsort(values.data(), values.size(), sizeof(values[0]), compare);
	return values[values.size() / 2];
}

__attribute__((noinline)) static std::uint64_t throw_through(int depth)
{
	if (!depth)
		throw std::runtime_error("far enough");
	return throw_through(depth - 1) + 1;
}

__attribute__((noinline)) static std::uint64_t catch_it(int depth)
{
	try {
		return throw_through(depth);
	} catch (const std::exception &e) {
		return std::string(e.what()).size();
	}
}

__attribute__((noinline)) static std::uint64_t count_words(std::uint64_t n)
{
	std::map<std::string, int> words;

	for (std::uint64_t i = 0; i < n; i++)
		words["word number " + std::to_string(mix(i) % 500)]++;
	return words.size();
}

int main()
{
	Node *tree = nullptr;
	std::function<std::uint64_t(std::uint64_t)> words = count_words;

	for (std::uint64_t i = 0; i < 3000; i++)
		tree = insert(tree, mix(i));
	for (int round = 0; round < 120; round++) {
		sink += tree->walk(0);
		sink += sort_with_callback(2000);
		sink += words(2000);
		for (int i = 0; i < 40; i++)
			sink += catch_it(20);
	}
	return 0;
}
