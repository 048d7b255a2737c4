/**
 * Loaded into a program of ours before anything else (`node --import`): to it every disk is one that knows no hard links, as exFAT, FAT
 * and many shares are.
 */
import fs, { promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const refusal = () => Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM', syscall: 'link' })

fs.linkSync = () => {
  throw refusal()
}
promises.link = async () => {
  throw refusal()
}
syncBuiltinESMExports()
