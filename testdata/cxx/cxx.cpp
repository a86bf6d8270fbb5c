// Templates, inlining and exceptions that pass through several frames.
#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace shop
{

struct Item {
	std::uint64_t price;
	std::string name;
};

template <typename T> class Basket
{
public:
	void add(T item)
	{
		items_.push_back(std::move(item));
	}

	template <typename F> std::uint64_t sum(F weight) const
	{
		std::uint64_t total = 0;
		for (const T &item : items_)
			total += weight(item);
		return total;
	}

	void sort()
	{
		std::sort(items_.begin(), items_.end(),
			[](const T &a, const T &b) { return a.price < b.price; });
	}

private:
	std::vector<T> items_;
};

__attribute__((noinline)) std::uint64_t check(std::uint64_t n)
{
	if (n % 3 == 0)
		throw std::runtime_error("out of stock");
	return n;
}

__attribute__((noinline)) std::uint64_t try_check(std::uint64_t n)
{
	try {
		return check(n);
	} catch (const std::runtime_error &e) {
		return std::string(e.what()).size();
	}
}

} // namespace shop

int main()
{
	std::uint64_t total = 0;

	for (int round = 0; round < 16; round++) {
		shop::Basket<shop::Item> basket;
		for (std::uint64_t i = 0; i < 12000; i++)
			basket.add({ i * 7919 % 10007, "item" + std::to_string(i) });
		basket.sort();
		total += basket.sum([](const shop::Item &item) { return item.price * item.name.size(); });
		for (std::uint64_t i = 0; i < 3000; i++)
			total += shop::try_check(i);
	}
	return total == 0;
}
