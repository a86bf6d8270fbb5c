-- Functions with strict arguments; GHC keeps their frames on a separate stack.
module Main (main) where

import Data.List (foldl')
import Data.Word (Word64)

zooInner :: Word64 -> Word64
zooInner start = go start 0
  where
    go :: Word64 -> Word64 -> Word64
    go n 200 = n
    go n i = go (n * 6364136223846793005 + i) (i + 1)
{-# NOINLINE zooInner #-}

zooMiddle :: Word64 -> Word64
zooMiddle n = zooInner n + 1
{-# NOINLINE zooMiddle #-}

zooOuter :: Word64 -> Word64
zooOuter n = zooMiddle n + 1
{-# NOINLINE zooOuter #-}

main :: IO ()
main = print (foldl' (\total n -> total + zooOuter n) 0 [1 .. 4000000])
