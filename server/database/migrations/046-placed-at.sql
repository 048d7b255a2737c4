-- When a project pushed a version to a path: what it had pulled before came from the library, what it pulls later may be its own again.
alter table placings add column placed_at timestamptz;
alter table placings alter column placed_at set default now();
