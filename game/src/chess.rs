//! Chess and Chess960 on shakmaty.
