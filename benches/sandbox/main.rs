//! What a run costs, next to what it would cost without a sandbox and with another one.
//!
//! Everything that is compared is measured in turn within one loop, since machines drift; the ratios are what counts.
//! `scripts/bench sandbox` starts this; parts may be named: `times size idle workers leaks`.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark that can't go on has failed")]
#![expect(clippy::disallowed_methods, reason = "the bare spawn and the other sandbox are started here")]
#![expect(clippy::print_stdout, reason = "printing figures is what it is for")]

mod contenders;
mod leaks;
mod table;

use std::hint::black_box;
use std::time::{Duration, Instant};

use contenders::{Contender, Program};
use table::Table;
use touchstone::sandbox::CgroupChoice;

const ROUNDS: usize = 500;
const IDLE_ROUNDS: usize = 100;
const IDLE_PAUSE: Duration = Duration::from_millis(40);
const WORKERS_FOR: Duration = Duration::from_secs(3);
const LEAK_RUNS: u64 = 10_000;

fn main() {
    touchstone::sandbox::run_if_helper();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let program = Program::compile();
    let part = |name: &str, part: fn(&Program)| {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            part(&program);
        }
    };
    part("times", times);
    part("size", size);
    part("idle", idle);
    part("workers", workers);
    part("leaks", leaks);
}

/// Runs the contenders in turn.
fn in_turn(contenders: &mut [Contender<'_>], rounds: usize, pause: Duration) -> Table {
    for contender in &mut *contenders {
        contender.run();
    }
    let mut table = Table::new(contenders.iter().map(Contender::name));
    for _ in 0..rounds {
        for (index, contender) in contenders.iter_mut().enumerate() {
            std::thread::sleep(pause);
            table.add(index, contender.run());
        }
    }
    table
}

fn times(program: &Program) {
    let mut contenders = [
        Contender::bare(program),
        Contender::wiped("wiped slot", program, CgroupChoice::Auto),
        Contender::fresh("fresh namespaces", program, CgroupChoice::Auto),
        Contender::cold("cold", program, CgroupChoice::Auto),
        Contender::cold("cold, no cgroups", program, CgroupChoice::Off),
        Contender::bubblewrap(program),
        Contender::start("start and first run", program, CgroupChoice::Auto),
    ];
    let table = in_turn(&mut contenders, ROUNDS, Duration::ZERO);
    table.print(&format!("A trivial static program, {ROUNDS} runs each, in turn"));
    println!("wiped slot against bwrap: {:.3} (a fifth is 0.200)", table.ratio(1, 5));
    table::goals(&[
        ("wiped <= 1.5 x bare", table.ratio(1, 0) <= 1.5),
        ("fresh <= 2.5 x bare", table.ratio(2, 0) <= 2.5),
        ("cold <= 6 x bare", table.ratio(3, 0) <= 6.0),
        ("wiped < bwrap / 5", table.ratio(1, 5) < 0.2),
    ]);
}

fn size(program: &Program) {
    let mut contenders = [
        Contender::bare(program),
        Contender::wiped("wiped slot", program, CgroupChoice::Auto),
        Contender::fresh("fresh namespaces", program, CgroupChoice::Auto),
    ];
    let small = in_turn(&mut contenders, ROUNDS, Duration::ZERO);
    let ballast = vec![1u8; 1 << 30];
    black_box(&ballast);
    let large = in_turn(&mut contenders, ROUNDS, Duration::ZERO);
    drop(ballast);
    small.print("The server as it is");
    large.print("The server with 1 GB resident");
    let growth = |index| large.ratio(index, 0) / small.ratio(index, 0);
    println!("growth of the ratio to the bare spawn: wiped {:.2}, fresh {:.2}", growth(1), growth(2));
    table::goals(&[("1 GB changes nothing (within 15 %)", growth(1) < 1.15 && growth(2) < 1.15)]);
}

fn idle(program: &Program) {
    let mut contenders = [
        Contender::bare(program),
        Contender::wiped("wiped, with cgroups", program, CgroupChoice::Auto),
        Contender::wiped("wiped, without", program, CgroupChoice::Off),
        Contender::fresh("fresh, with cgroups", program, CgroupChoice::Auto),
        Contender::fresh("fresh, without", program, CgroupChoice::Off),
    ];
    let table = in_turn(&mut contenders, IDLE_ROUNDS, IDLE_PAUSE);
    table.print(&format!("An idle machine: one run every {} ms", IDLE_PAUSE.as_millis()));
    let wiped = table.median(1) - table.median(2);
    let fresh = table.median(3) - table.median(4);
    println!("cgroups add: wiped {wiped:+.3} ms, fresh {fresh:+.3} ms");
    table::goals(&[("cgroups add at most 0.5 ms", wiped <= 0.5 && fresh <= 0.5)]);
}

/// Runs a second that `workers` threads reach together in a sandbox with as many slots.
fn rate(program: &Program, workers: usize) -> f64 {
    let sandbox = contenders::sandbox(workers, CgroupChoice::Auto);
    let begun = Instant::now();
    let runs: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers as u64)
            .map(|tag| {
                let (sandbox, spec) = (&sandbox, program.wiped(tag));
                scope.spawn(move || {
                    let mut runs = 0;
                    while begun.elapsed() < WORKERS_FOR {
                        sandbox.run(&spec).unwrap();
                        runs += 1;
                    }
                    runs
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    #[expect(clippy::cast_precision_loss, reason = "a few thousand runs")]
    let runs = runs as f64;
    runs / begun.elapsed().as_secs_f64()
}

fn workers(program: &Program) {
    // In turn here too, the median of each.
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        one.push(rate(program, 1));
        two.push(rate(program, 2));
    }
    one.sort_by(f64::total_cmp);
    two.sort_by(f64::total_cmp);
    let ratio = two[1] / one[1];
    println!("\nWiped runs a second: one worker {:.0}, two workers {:.0}, {ratio:.2} x", one[1], two[1]);
    table::goals(&[("two workers reach 1.8 x one", ratio >= 1.8)]);
}

fn leaks(program: &Program) {
    let sandbox = contenders::sandbox(1, CgroupChoice::Auto);
    let round = |number: u64| {
        // Every fifth is fresh; the tag changes now and then, as between submissions.
        let spec = if number.is_multiple_of(5) { program.fresh() } else { program.wiped(number / 50) };
        sandbox.run(spec).unwrap();
    };
    (0..100).for_each(round);
    let before = leaks::Holdings::count(program.folder());
    let begun = Instant::now();
    (0..LEAK_RUNS).for_each(round);
    let took = begun.elapsed();
    let after = leaks::Holdings::settled(program.folder(), &before);
    println!("\n{LEAK_RUNS} runs in {:.1} s\n  before {before}\n  after  {after}", took.as_secs_f64());
    table::goals(&[("nothing leaked", before.covers(&after))]);
}
