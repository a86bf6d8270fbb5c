// Typed functions; async functions call the first of them.
function zooInner(n: number): number {
    for (let i = 0; i < 2000; i++)
        n = (Math.imul(n, 1103515245) + i) | 0;
    return n;
}

function zooMiddle(n: number): number {
    return zooInner(n) + 1;
}

async function zooOuter(n: number): Promise<number> {
    return zooMiddle(n) + 1;
}

async function zooRounds(): Promise<number> {
    let sum = 0;
    for (let i = 0; i < 500000; i++)
        sum += await zooOuter(i);
    return sum;
}

zooRounds().then((sum) => console.log(sum));
