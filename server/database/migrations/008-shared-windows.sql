-- One statement counts all requests of a key that came in the same moment (server/front-door/request-count.ts).

-- let_in: how many of those that were counted last. is_full: whether the next one has to wait.
alter table request_windows
  alter column let_in type integer using let_in::integer,
  add column is_full boolean not null default false;

alter table request_windows alter column is_full drop default;
