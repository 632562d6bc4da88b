//! The web room through its router, without a socket.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on panics")]

mod accounts;
mod api;
mod api_roles;
mod clarifying;
mod collisions;
mod contests;
mod dashboard;
mod desk;
mod escaping;
mod failed_tests;
mod live;
mod long_board;
mod manage;
mod news;
mod openapi;
mod outside_bytes;
mod pictures;
mod routes;
mod safety;
mod second_step;
mod slow_clients;
mod snapshots;
mod staff;
mod staff_acts;
mod submitting;
mod teams;
mod trying;
mod understanding;
mod verifying;
mod visibility;
mod watching;
mod whole_contest;
mod words;
mod world;
