/** What systems say of a disk, by the codes of their errors. */

/** There is no room on a disk, or a person's share of it is used up. */
export const isFullCode = (code: string | undefined): boolean => code === 'ENOSPC' || code === 'EDQUOT'

/** Disks without hard links: exFAT, FAT, some SMB and FUSE. Windows says of them that the function is none, which Node calls EISDIR. */
const noLinkCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EISDIR'])

/** Whether a file that failed to be linked so cannot be, whatever is tried again. */
export const isNoLinkCode = (code: string): boolean => noLinkCodes.has(code)
