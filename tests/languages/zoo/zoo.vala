// A delegate and a virtual method between main and the loop.
delegate uint64 Visit (uint64 n);

class Animal : Object {
	public uint64 weight = 1;

	public virtual uint64 zoo_inner (uint64 start) {
		uint64 n = start;
		for (uint64 i = 0; i < 200; i++)
			n = n * 6364136223846793005 + i + weight;
		return n;
	}
}

uint64 zoo_middle (Visit visit, uint64 n) {
	return visit (n) + 1;
}

uint64 zoo_outer (Animal animal, uint64 n) {
	return zoo_middle ((value) => { return animal.zoo_inner (value) + 1; }, n) + 1;
}

int main () {
	var animal = new Animal ();
	uint64 sum = 0;
	for (uint64 i = 0; i < 4000000; i++)
		sum += zoo_outer (animal, i);
	print ("%" + uint64.FORMAT + "\n", sum);
	return 0;
}
