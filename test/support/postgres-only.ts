/** Tests that need a PostgreSQL server: they run where the suite is given one, and `vitest --tags-filter postgresql` picks them. */
export const isPostgres = process.env.PH_TEST_DATABASE_URL !== undefined && process.env.PH_TEST_DATABASE_URL !== ''
export const postgresOnly = { tags: ['postgresql'] }
