// Messages to an object and to its class between main and the loop.
#import <objc/runtime.h>
#include <stdio.h>

__attribute__((objc_root_class))
@interface Zoo {
	Class isa;
}
- (unsigned long)inner:(unsigned long)n;
- (unsigned long)middle:(unsigned long)n;
+ (unsigned long)outer:(Zoo *)zoo with:(unsigned long)n;
@end

@implementation Zoo
- (unsigned long)inner:(unsigned long)n
{
	for (unsigned long i = 0; i < 200; i++)
		n = n * 6364136223846793005u + i;
	return n;
}

- (unsigned long)middle:(unsigned long)n
{
	return [self inner:n] + 1;
}

+ (unsigned long)outer:(Zoo *)zoo with:(unsigned long)n
{
	return [zoo middle:n] + 1;
}
@end

int main(void)
{
	Zoo *zoo = class_createInstance(objc_getClass("Zoo"), 0);
	unsigned long sum = 0;

	for (unsigned long i = 0; i < 4000000; i++)
		sum += [Zoo outer:zoo with:i];
	printf("%lu\n", sum);
	return 0;
}
