//! How facts become what a reader sees: marks for verdicts, numbers with units, times, safe markup, sources with
//! line numbers, and the frame around every page. Must not know: requests, handlers, the database's tables.

pub mod archive;
pub mod award;
pub mod board;
pub mod board_change;
pub mod board_row;
pub mod cause;
pub mod chart;
pub mod clarifications;
pub mod compiler_words;
pub mod desk_tiles;
pub mod difference;
pub mod footnotes;
pub mod format;
pub mod frame;
pub mod highlight;
pub mod kill_strip;
pub mod mark;
pub mod markdown;
pub mod math;
pub mod news;
pub mod outcome;
pub mod qr;
pub mod receipt;
pub mod sentence;
pub mod slopes;
pub mod source;
pub mod standings;
pub mod throughput;
pub mod time_scale;
pub mod trial;
pub mod verification;
