/** Printed from the contract by `npm run docs`: where each route is asked. Schemas take longer to load than a push of few files. */
import type { Address } from './address.ts'

export const agentAddresses = {
  agent: {
    status: { method: 'GET', path: '/agent/v1/status' },
    events: { method: 'GET', path: '/agent/v1/events', answers: 'events' },
    pause: { method: 'POST', path: '/agent/v1/pause', sends: 'json' },
    resume: { method: 'POST', path: '/agent/v1/resume' },
    stop: { method: 'POST', path: '/agent/v1/stop' },
  },
  agentProjects: {
    link: { method: 'PUT', path: '/agent/v1/projects', sends: 'json' },
    unlink: { method: 'DELETE', path: '/agent/v1/projects' },
  },
  agentFiles: {
    list: { method: 'GET', path: '/agent/v1/files' },
    touched: { method: 'GET', path: '/agent/v1/files/touched' },
    why: { method: 'GET', path: '/agent/v1/files/why' },
    checkOut: { method: 'POST', path: '/agent/v1/files/check-out', sends: 'json' },
    checkIn: { method: 'POST', path: '/agent/v1/files/check-in', sends: 'json' },
  },
  agentEditors: {
    announce: { method: 'PUT', path: '/agent/v1/editors/{session_id}', sends: 'json' },
    leave: { method: 'DELETE', path: '/agent/v1/editors/{session_id}' },
    opened: { method: 'POST', path: '/agent/v1/editors/{session_id}/opened', sends: 'json' },
  },
  agentConflicts: {
    list: { method: 'GET', path: '/agent/v1/conflicts' },
    answer: { method: 'POST', path: '/agent/v1/conflicts/{conflict_id}', sends: 'json' },
  },
  agentImports: {
    list: { method: 'GET', path: '/agent/v1/imports' },
  },
  agentSenders: {
    list: { method: 'GET', path: '/agent/v1/senders' },
    answer: { method: 'PUT', path: '/agent/v1/senders', sends: 'json' },
    refuse: { method: 'POST', path: '/agent/v1/senders/refuse', sends: 'json' },
  },
  agentMirror: {
    get: { method: 'GET', path: '/agent/v1/mirror' },
    rebuild: { method: 'POST', path: '/agent/v1/mirror/rebuild' },
    search: { method: 'GET', path: '/agent/v1/mirror/entries' },
    thumbnail: { method: 'GET', path: '/agent/v1/mirror/entries/{entry_id}/thumbnail' },
  },
} as const satisfies Record<string, Record<string, Address>>
