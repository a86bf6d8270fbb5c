# A method, a block and a fiber between main and the loop.
class Animal
  def initialize(@weight : UInt64)
  end

  @[NoInline]
  def zoo_inner(n : UInt64) : UInt64
    i = 0_u64
    while i < 200
      n = n &* 6364136223846793005_u64 &+ i &+ @weight
      i &+= 1
    end
    n
  end
end

@[NoInline]
def zoo_middle(n : UInt64, visit : UInt64 -> UInt64) : UInt64
  visit.call(n) &+ 1
end

@[NoInline]
def zoo_outer(animal : Animal, n : UInt64) : UInt64
  zoo_middle(n, ->(value : UInt64) { animal.zoo_inner(value) &+ 1 }) &+ 1
end

def rounds
  animal = Animal.new(1_u64)
  sum = 0_u64
  4_000_000_u64.times { |i| sum &+= zoo_outer(animal, i) }
  puts sum
end

if ARGV.size > 0
  done = Channel(Nil).new
  spawn { rounds; done.send(nil) }
  done.receive
else
  rounds
end
