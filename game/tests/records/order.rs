use rookery_game::opening::index;
