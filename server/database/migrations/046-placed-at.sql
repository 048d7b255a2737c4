-- When a project pushed a version to a path: what it had pulled before came from the library, what it pulls later may be its own again. Null: not known.
alter table placings add column placed_at timestamptz;
