/** The agent as a service: what is written is read by the systems' own programs, whatever the folders are called. */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { serviceFor } from '../../../client/desktop/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const odd = `/opt/a "b" 100% $HOME\\n 'c' & <d>`
const program = {
  node: `${odd}/node`,
  script: `${odd}/ph.mjs`,
  args: ['agent', 'run', '--profile', 'x y'],
  env: { PH_STATE_DIR: `${odd}/state` },
}
const on = (platform: NodeJS.Platform, dir = '/dir') => {
  const made = serviceFor(program, { platform, env: { HOME: '/srv/ada' }, dir, uid: 501 })
  if (!made) throw new Error(`no service for ${platform}`)
  return made
}

const has = (name: string): boolean => spawnSync(name, ['--version']).error === undefined

test.skipIf(!has('systemd-analyze'))('the systemd unit starts a program of any name, as systemd itself reads it', () => {
  const folder = temporaryFolder()
  // A program that says what it was started with.
  const teller = join(folder, 'tell $er %n')
  writeFileSync(teller, '#!/bin/sh\nprintf "%s\\n" "$@" "$PH_STATE_DIR"\n', { mode: 0o755 })
  const made = serviceFor({ ...program, node: teller }, { platform: 'linux', env: { HOME: '/srv/ada' }, dir: folder, uid: 1 })
  const unit = join(folder, 'prop-house-agent.service')
  writeFileSync(unit, made?.content ?? '')
  expect(made?.path).toBe('/srv/ada/.config/systemd/user/prop-house-agent.service')
  const verified = spawnSync('systemd-analyze', ['--user', 'verify', unit], {
    encoding: 'utf8',
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
  })
  expect([verified.error, verified.stderr.split('\n').filter((line) => line.includes('prop-house'))]).toEqual([undefined, []])
})

test.skipIf(!has('python3'))('the launchd agent is a property list with the command as it is', () => {
  const { path, content, install } = on('darwin')
  const list = execFileSync(
    'python3',
    ['-c', 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'],
    {
      input: content,
    },
  )
  expect(JSON.parse(list.toString())).toMatchObject({
    Label: 'io.prop-house.agent',
    ProgramArguments: [program.node, program.script, ...program.args],
    EnvironmentVariables: program.env,
    RunAtLoad: true,
  })
  expect(install).toEqual([['launchctl', 'bootstrap', 'gui/501', path]])
})

test.skipIf(!has('python3'))('the scheduled task is XML in UTF-16 and starts at the sign-in, without an end', () => {
  const { content } = on('win32')
  expect([...content.subarray(0, 2)]).toEqual([0xff, 0xfe])
  const read =
    'import sys, xml.etree.ElementTree as x; r = x.fromstring(sys.stdin.buffer.read()); n = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"; print(r.find(f".//{n}Arguments").text); print(r.find(f".//{n}ExecutionTimeLimit").text); print(r.find(f".//{n}LogonTrigger") is not None)'
  const [line, limit, atLogon] = execFileSync('python3', ['-c', read], { input: content }).toString().trim().split('\n')
  expect(line).toContain('agent')
  expect(line).toContain('"x y"')
  expect([limit, atLogon]).toEqual(['PT0S', 'True'])
})

test('systems that ph does not know have no service', () => {
  expect(serviceFor(program, { platform: 'aix', env: {}, dir: '/dir', uid: 1 })).toBeUndefined()
})
