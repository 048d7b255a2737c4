/**
 * Loaded into a program of ours before anything else (`node --import`): to it every disk is one that knows no hard links, as exFAT, FAT
 * and many shares are. PH_TEST_LINK_CODE: the code that the system says it with.
 */
import fs, { promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const code = process.env.PH_TEST_LINK_CODE ?? 'EPERM'
const refusal = () => Object.assign(new Error(`${code}: no links here, link`), { code, syscall: 'link' })

fs.linkSync = () => {
  throw refusal()
}
promises.link = async () => {
  throw refusal()
}
syncBuiltinESMExports()
