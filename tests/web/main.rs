//! The web room through its router, without a socket.

mod accounts;
mod live;
mod look;
mod safety;
mod snapshots;
mod staff;
mod submitting;
mod visibility;
mod words;
mod world;
