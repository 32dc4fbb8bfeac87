// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

//! Each workload in Rayon's own idiom. How its data lie in memory is what race/workloads/forked
//! says: the layouts "v1".

use rayon::join;
use rayon::prelude::*;
use std::ffi::c_void;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The data of a workload.
#[derive(Clone, Copy)]
pub struct Memory {
    data: *mut c_void,
    size: usize,
    items: usize,
}
// SAFETY: during a run it belongs to the threads of the run.
unsafe impl Send for Memory {}

impl Memory {
    pub fn new(data: *mut c_void, size: usize, items: usize) -> Self {
        Memory { data, size, items }
    }
    /// `count` values from the one with the number `first` on.
    ///
    /// # Safety
    /// They lie there, and nobody writes them meanwhile.
    unsafe fn read<T>(&self, first: usize, count: usize) -> &'static [T] {
        from_raw_parts(self.data.cast::<T>().add(first), count)
    }
    /// # Safety
    /// The same, and nobody else uses them.
    unsafe fn write<T>(&self, first: usize, count: usize) -> &'static mut [T] {
        from_raw_parts_mut(self.data.cast::<T>().add(first), count)
    }
}

pub fn find(name: &str) -> Option<fn(Memory)> {
    Some(match name {
        "fib" => |memory| unsafe { memory.write(0, 1)[0] = fib(memory.size as u64) },
        "skynet" => |memory| unsafe {
            memory.write(0, 1)[0] = skynet(0, 10u64.pow(memory.size as u32));
        },
        "nqueens" => |memory| unsafe {
            memory.write(0, 1)[0] = queens((1 << memory.size) - 1, 0, 0, 0);
        },
        "matmul_tree" => matmul_tree,
        "tree_sum" => |memory| unsafe {
            // A node has the size of two numbers; the result stands before the first.
            let nodes = memory.data.cast::<f64>().add(1).cast::<Node>();
            memory.write(0, 1)[0] = tree_sum(from_raw_parts(nodes, memory.size));
        },
        "reduce" => |memory| unsafe {
            memory.write(0, 1)[0] = sum(memory.read::<f64>(1, memory.size));
        },
        "sort" => |memory| unsafe {
            memory
                .write::<u32>(memory.size, memory.size)
                .par_sort_unstable();
        },
        "mandelbrot" => mandelbrot,
        "triad" => triad,
        _ => return None,
    })
}

/// In any order, as the others' sums: that of an iterator is added one by one.
fn sum(numbers: &[f64]) -> f64 {
    const LANES: usize = 16;
    numbers
        .par_chunks(1 << 16)
        .map(|chunk| {
            let mut sums = [0.0; LANES];
            let blocks = chunk.chunks_exact(LANES);
            let rest: f64 = blocks.remainder().iter().sum();
            for block in blocks {
                for (sum, number) in sums.iter_mut().zip(block) {
                    *sum += number;
                }
            }
            sums.iter().sum::<f64>() + rest
        })
        .sum()
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn skynet(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let below = leaves / 10;
    (0..10u64)
        .into_par_iter()
        .map(|child| skynet(first + child * below, below))
        .sum()
}

/// `columns`, `left` and `right`: the squares of the next row that are attacked, by direction.
fn queens(all: u32, columns: u32, left: u32, right: u32) -> u64 {
    if columns == all {
        return 1;
    }
    let mut squares = [0u32; 15];
    let mut count = 0;
    let mut free = all & !(columns | left | right);
    while free != 0 {
        squares[count] = free & free.wrapping_neg();
        free &= free - 1;
        count += 1;
    }
    squares[..count]
        .par_iter()
        .map(|square| {
            queens(
                all,
                columns | square,
                (left | square) << 1,
                (right | square) >> 1,
            )
        })
        .sum()
}

#[repr(C)]
struct Node {
    value: f64,
    /// How many nodes after this one a child is; 0: none.
    left: u32,
    right: u32,
}

/// Of the tree whose root is the first of the nodes.
fn tree_sum(nodes: &[Node]) -> f64 {
    let below = |away: u32| match away {
        0 => 0.0,
        _ => tree_sum(&nodes[away as usize..]),
    };
    let (left, right) = join(|| below(nodes[0].left), || below(nodes[0].right));
    nodes[0].value + left + right
}

/// Which rows, columns and inner indices of a product: the first and how many.
#[derive(Clone, Copy)]
struct Part {
    row: usize,
    column: usize,
    inner: usize,
    rows: usize,
    columns: usize,
    inners: usize,
}

/// C += A·B.
struct Product {
    a: &'static [f64],
    b: &'static [f64],
    c: *mut f64,
    size: usize,
}
// SAFETY: parts that run at the same time write different elements of C.
unsafe impl Sync for Product {}

impl Product {
    const BLOCK: usize = 32;

    fn add(&self, part: Part) {
        if part.rows.max(part.columns).max(part.inners) <= Self::BLOCK {
            self.add_block(part);
            return;
        }
        let (rows, columns, inners) = (part.rows / 2, part.columns / 2, part.inners / 2);
        // Two sums go to the same quarter, so they are one after the other.
        for second in [false, true] {
            let quarter = |lower: bool, right: bool| {
                self.add(Part {
                    row: part.row + if lower { rows } else { 0 },
                    column: part.column + if right { columns } else { 0 },
                    inner: part.inner + if second { inners } else { 0 },
                    rows: if lower { part.rows - rows } else { rows },
                    columns: if right {
                        part.columns - columns
                    } else {
                        columns
                    },
                    inners: if second { part.inners - inners } else { inners },
                });
            };
            join(
                || join(|| quarter(false, false), || quarter(false, true)),
                || join(|| quarter(true, false), || quarter(true, true)),
            );
        }
    }

    fn add_block(&self, part: Part) {
        for row in part.row..part.row + part.rows {
            // SAFETY: this part alone writes this stretch of C.
            let to = unsafe {
                from_raw_parts_mut(self.c.add(row * self.size + part.column), part.columns)
            };
            for inner in part.inner..part.inner + part.inners {
                let factor = self.a[row * self.size + inner];
                let from = &self.b[inner * self.size + part.column..][..part.columns];
                for (to, from) in to.iter_mut().zip(from) {
                    *to += factor * from;
                }
            }
        }
    }
}

fn matmul_tree(memory: Memory) {
    let size = memory.size;
    let all = size * size;
    let product = unsafe {
        Product {
            a: memory.read(0, all),
            b: memory.read(all, all),
            c: memory.data.cast::<f64>().add(2 * all),
            size,
        }
    };
    product.add(Part {
        row: 0,
        column: 0,
        inner: 0,
        rows: size,
        columns: size,
        inners: size,
    });
}

/// How many steps it takes to see that the point is outside of the set.
fn steps(row: usize, column: usize, size: usize) -> u16 {
    let scale = 3.0 / size as f64;
    let x = column as f64 * scale - 2.2;
    let y = row as f64 * scale - 1.5;
    let (mut a, mut b) = (0.0, 0.0);
    let mut taken = 1;
    while taken < 500 && a * a + b * b <= 4.0 {
        let next = a * a - b * b + x;
        b = 2.0 * a * b + y;
        a = next;
        taken += 1;
    }
    taken
}

fn mandelbrot(memory: Memory) {
    let size = memory.size;
    let pixels: &mut [u16] = unsafe { memory.write(0, size * size) };
    pixels
        .par_chunks_mut(size)
        .enumerate()
        .for_each(|(row, line)| {
            for (column, pixel) in line.iter_mut().enumerate() {
                *pixel = steps(row, column, size);
            }
        });
}

fn triad(memory: Memory) {
    let all = memory.items * memory.size;
    let (a, b, c): (&mut [f64], &[f64], &[f64]) = unsafe {
        (
            memory.write(0, all),
            memory.read(all, all),
            memory.read(2 * all, all),
        )
    };
    let loops = a.chunks_mut(memory.size).zip(b.chunks(memory.size));
    for ((a, b), c) in loops.zip(c.chunks(memory.size)) {
        a.par_iter_mut()
            .zip(b)
            .zip(c)
            .for_each(|((a, b), c)| *a = b + 3.0 * c);
    }
}
