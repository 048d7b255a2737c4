/** What statements are sent over: the pools of a database, or an open transaction. */
import type postgres from 'postgres'
import type { DriverPool, TransactionSql } from './driver/statement.ts'
import type { Moments, Writers } from './writers.ts'

/** Statements of their own. Transactions have other connections: those that write, and those that read as of one moment. */
export type Pool = DriverPool & { readonly writers: Writers; readonly moments: Moments }

/** A connection pool, or the one connection of a transaction. Every statement goes through it. */
export type Sql = DriverPool | Pool | TransactionSql

export type Fragment = postgres.Fragment
