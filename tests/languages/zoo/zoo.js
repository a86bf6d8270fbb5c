// A method, a closure and Array.prototype.forEach between zooRounds and the loop.
class Animal {
    zooInner(n) {
        for (let i = 0; i < 2000; i++)
            n = (Math.imul(n, 1103515245) + i) | 0;
        return n;
    }
}

function zooMiddle(visit, values) {
    let sum = 0;
    values.forEach((value) => { sum += visit(value); });
    return sum + 1;
}

function zooOuter(animal, n) {
    return zooMiddle((value) => animal.zooInner(value) + 1, [n, n + 1]) + 1;
}

function zooRounds() {
    let sum = 0;
    for (let i = 0; i < 300000; i++)
        sum += zooOuter(new Animal(), i);
    return sum;
}

console.log(zooRounds());
