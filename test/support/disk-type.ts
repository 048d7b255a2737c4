/** Loaded into a program before anything else (`node --import`): every disk says that it is of the type in PH_TEST_DISK_TYPE. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { statfsSync } = fs
fs.statfsSync = ((path: fs.PathLike) =>
  Object.assign(statfsSync(path), { type: Number(process.env.PH_TEST_DISK_TYPE) })) as typeof statfsSync
syncBuiltinESMExports()
