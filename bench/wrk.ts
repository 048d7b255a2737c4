/** Requests per second, by wrk: one that is written in C, because a client in Node takes as much of two cores as the server does. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { ran } from './processes.ts'

export interface Load {
  url: string
  /** What wrk sends. */
  script: string
}

/** One request of wrk's. */
export interface Asked {
  path: string
  key: string
}

/** Writes a script that goes through all requests in turn, over and over. `file`: without an ending. */
export function writeScript(file: string, asked: readonly Asked[]): string {
  const [list, script] = [`${file}.txt`, `${file}.lua`]
  writeFileSync(list, asked.map(({ path, key }) => `${path} ${key}\n`).join(''))
  writeFileSync(
    script,
    `local requests, at = {}, 0
function init()
  for line in io.lines("${list}") do
    local path, key = line:match("^(%S+) (%S+)$")
    requests[#requests + 1] = wrk.format("GET", path, { ["Authorization"] = "Bearer " .. key, ["X-PH-Client"] = "bench/1" })
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
`,
  )
  return script
}

interface Terms {
  seconds: number
  connections: number
}

/** Requests per second; every answer has to be a 200. */
export const rateOf = (load: Load, terms: Terms): number => rateIn(load, ran({ run: lineOf(load, terms) }))

/** Of all together, each by a wrk of its own at the same time. */
export async function rateTogether(loads: readonly Load[], terms: Terms): Promise<number> {
  const rates = loads.map(async (load) => {
    const [program = '', ...args] = lineOf(load, terms)
    return rateIn(load, (await promisify(execFile)(program, args)).stdout)
  })
  return (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0)
}

const lineOf = ({ url, script }: Load, { seconds, connections }: Terms): string[] => [
  'wrk',
  '-t1',
  `-c${connections}`,
  `-d${Math.max(1, Math.round(seconds))}`,
  '-s',
  script,
  url,
]

function rateIn({ url }: Load, said: string): number {
  if (/Non-2xx|Socket errors/.test(said)) throw new Error(`requests to ${url} failed:\n${said}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1])
}
