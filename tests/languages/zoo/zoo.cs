// A virtual method and a delegate between Main and the loop.
using System;
using System.Runtime.CompilerServices;

class Zoo
{
	ulong weight = 1;

	[MethodImpl (MethodImplOptions.NoInlining)]
	public virtual ulong zoo_inner (ulong n)
	{
		for (ulong i = 0; i < 200; i++)
			n = n * 6364136223846793005UL + i + weight;
		return n;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static ulong zoo_middle (Func<ulong, ulong> visit, ulong n)
	{
		return visit (n) + 1;
	}

	[MethodImpl (MethodImplOptions.NoInlining)]
	static ulong zoo_outer (Zoo zoo, ulong n)
	{
		return zoo_middle (value => zoo.zoo_inner (value) + 1, n) + 1;
	}

	static void Main ()
	{
		var zoo = new Zoo ();
		ulong sum = 0;
		for (ulong i = 0; i < 2000000; i++)
			sum += zoo_outer (zoo, i);
		Console.WriteLine (sum);
	}
}
