// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

//! The workloads of the race that fork, written for Rayon, over the memory of the race; and a loop
//! over its items. race/schemes/rayon.cpp calls these functions.

mod workloads;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::ffi::{c_char, c_void, CStr, CString};
use std::sync::OnceLock;
use std::thread::{Builder, JoinHandle};

/// The threads of one run.
pub struct Team {
    pool: ThreadPool,
    threads: Vec<JoinHandle<()>>,
}

/// The version of Rayon, as Cargo.lock has it.
#[no_mangle]
pub extern "C" fn regatta_rayon_version() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    TEXT.get_or_init(|| {
        let version = include_str!("Cargo.lock")
            .split_once("name = \"rayon\"\nversion = \"")
            .and_then(|(_, rest)| rest.split_once('"'))
            .map_or("", |(version, _)| version);
        CString::new(format!("Rayon {version}")).unwrap_or_default()
    })
    .as_ptr()
}

/// Starts that many threads. Null: the system has no more.
#[no_mangle]
pub extern "C" fn regatta_rayon_start(threads: usize) -> *mut Team {
    let mut started = Vec::new();
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .spawn_handler(|thread| {
            started.push(Builder::new().spawn(|| thread.run())?);
            Ok(())
        })
        .build();
    match pool {
        Ok(pool) => Box::into_raw(Box::new(Team {
            pool,
            threads: started,
        })),
        Err(_) => {
            join(started);
            std::ptr::null_mut()
        }
    }
}

/// Ends them, and waits for that.
///
/// # Safety
/// `team` comes from `regatta_rayon_start` and is not used again.
#[no_mangle]
pub unsafe extern "C" fn regatta_rayon_end(team: *mut Team) {
    let team = Box::from_raw(team);
    drop(team.pool);
    join(team.threads);
}

fn join(threads: Vec<JoinHandle<()>>) {
    for thread in threads {
        let _ = thread.join();
    }
}

/// What calls an item of the race, on any thread.
struct Items {
    run: extern "C" fn(*mut c_void, usize),
    context: *mut c_void,
}
// SAFETY: the race lets any thread run any item.
unsafe impl Sync for Items {}
impl Items {
    fn run(&self, item: usize) {
        (self.run)(self.context, item);
    }
}

/// Calls `run(context, item)` for each item below `count`.
///
/// # Safety
/// `run` may be called with `context` by several threads at once.
#[no_mangle]
pub unsafe extern "C" fn regatta_rayon_items(
    team: &Team,
    count: usize,
    run: extern "C" fn(*mut c_void, usize),
    context: *mut c_void,
) {
    let items = Items { run, context };
    team.pool
        .install(|| (0..count).into_par_iter().for_each(|item| items.run(item)));
}

/// Runs a workload by forks. False: none of that name is known.
///
/// # Safety
/// `name` is a string, and `data` that workload's data of that size, used by nobody else meanwhile.
#[no_mangle]
pub unsafe extern "C" fn regatta_rayon_run(
    team: &Team,
    name: *const c_char,
    data: *mut c_void,
    size: usize,
    items: usize,
) -> bool {
    let memory = workloads::Memory::new(data, size, items);
    match CStr::from_ptr(name).to_str().ok().and_then(workloads::find) {
        Some(run) => {
            team.pool.install(move || run(memory));
            true
        }
        None => false,
    }
}
