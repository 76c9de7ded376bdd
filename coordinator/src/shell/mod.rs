//! Feeds the core, carries out its effects, speaks gRPC.
