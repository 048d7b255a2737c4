/**
 * Whom connections trust: the authorities that Node brings, and where those do not do, also the ones that the system trusts, as git and
 * browsers do: a company's own among them. Reading them takes a tenth of a second, so it is done when a certificate was refused.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/** For threads that begin later: each has authorities of its own. */
const mark = 'ph: trusts the system'
let isTrusted: boolean | undefined

/** Whether this thread trusts the authorities of the system by now. */
export const trustsSystem = (): boolean => isTrusted === true

/** False where this Node cannot (before 22.19 and 24.5), or the system cannot be read. */
export function trustSystem(): boolean {
  isTrusted ??= addSystem()
  if (isTrusted) setEnvironmentData(mark, true)
  return isTrusted
}

/** In a thread: whom the one that started it trusts. */
export function trustAsStarter(): void {
  if (getEnvironmentData(mark)) trustSystem()
}

function addSystem(): boolean {
  const tls = process.getBuiltinModule('node:tls')
  if (typeof tls.setDefaultCACertificates !== 'function') return false
  try {
    tls.setDefaultCACertificates([...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])])
    return true
  } catch {
    return false
  }
}

/** The fields of a certificate that people recognize it by. */
export interface Presented {
  /** Who signed it, by the name that the certificate gives. */
  issuer: string | undefined
  /** Dates as the certificate spells them. */
  validFrom: string
  validTo: string
  /** Hosts that it is for. */
  names: string | undefined
}

const peekMs = 5000

/** The certificate that a server shows, looked at without trusting it: nothing is sent. Undefined where none comes. */
export function presentedBy({ hostname, port }: URL): Promise<Presented | undefined> {
  const tls = process.getBuiltinModule('node:tls')
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const { promise, resolve } = Promise.withResolvers<Presented | undefined>()
  const socket = tls.connect({
    host,
    port: Number(port || 443),
    servername: /^[\d.:]+$/.test(host) ? '' : host,
    rejectUnauthorized: false,
  })
  const end = (presented?: Presented) => {
    resolve(presented)
    socket.destroy()
  }
  socket.setTimeout(peekMs, () => end())
  socket.once('error', () => end())
  socket.once('close', () => end())
  socket.once('secureConnect', () => {
    const { issuer, valid_from: validFrom, valid_to: validTo, subjectaltname: names } = socket.getPeerCertificate()
    end({ issuer: nameIn(issuer), validFrom, validTo, names })
  })
  return promise
}

function nameIn(issuer: NodeJS.Dict<string | string[]> | undefined): string | undefined {
  const name = issuer?.CN ?? issuer?.O
  return Array.isArray(name) ? name[0] : name
}
