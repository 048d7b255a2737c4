/** Editor sessions that a desktop agent keeps for projects that nobody has open: known by their ids. */

export const agentSessionId = (unique: string): string => `agent-${unique}`

export const isAgentSession = (sessionId: string): boolean => sessionId.startsWith('agent-')
