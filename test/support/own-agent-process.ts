/** An agent that runs until it is ended: `node own-agent-process.ts '{"url", "key", "folder", "options"}'`. */
import { startAgent } from '../../agent/main.ts'
import { findFolders } from '../../client/folders.ts'
import { foldersBelow } from './folders-below.ts'

const [, , text = '{}'] = process.argv
const { url, key, folder, options } = JSON.parse(text)
const folders = findFolders(foldersBelow(folder))
const tell = (line: string) => process.stderr.write(line)
const { asked, stop } = await startAgent({ wire: { url, key, folders }, version: '0', tell, ...options })
process.once('SIGTERM', () => void stop().then(() => process.exit()))
await asked
await stop()
