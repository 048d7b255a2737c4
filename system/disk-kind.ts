/** What kind of disk a folder lies on, and what can be relied on there. */
import { realpathSync, statfsSync } from 'node:fs'
import { nearestFolder } from './free-space.ts'

/**
 * `local`: of this machine; a lock keeps everyone else out. `network`: other machines may use it too, and whether locks hold between
 * them depends on how it is mounted. `plain`: of this machine, without hard links, owners and journal. `unknown`: not in our table.
 */
export type DiskReach = 'local' | 'network' | 'plain' | 'unknown'

export interface DiskKind {
  /** As people call it: ext4, NFS. */
  name: string
  reach: DiskReach
}

/** By the numbers of statfs(2) and the kernel's magic.h. FUSE does not say what stands behind it. */
const linuxKinds = new Map<number, DiskKind>([
  [0xef53, { name: 'ext4', reach: 'local' }],
  [0x58465342, { name: 'XFS', reach: 'local' }],
  [0x9123683e, { name: 'Btrfs', reach: 'local' }],
  [0x2fc12fc1, { name: 'ZFS', reach: 'local' }],
  [0xca451a4e, { name: 'bcachefs', reach: 'local' }],
  [0xf2f52010, { name: 'F2FS', reach: 'local' }],
  [0x3153464a, { name: 'JFS', reach: 'local' }],
  [0x7366746e, { name: 'NTFS', reach: 'local' }],
  [0x5346544e, { name: 'NTFS', reach: 'local' }],
  [0x01021994, { name: 'tmpfs (memory)', reach: 'local' }],
  [0x858458f6, { name: 'ramfs (memory)', reach: 'local' }],
  [0x794c7630, { name: 'overlayfs', reach: 'local' }],
  [0x4d44, { name: 'FAT', reach: 'plain' }],
  [0x2011bab0, { name: 'exFAT', reach: 'plain' }],
  [0x6969, { name: 'NFS', reach: 'network' }],
  [0x517b, { name: 'SMB', reach: 'network' }],
  [0xff534d42, { name: 'SMB', reach: 'network' }],
  [0xfe534d42, { name: 'SMB', reach: 'network' }],
  [0x01021997, { name: '9p (a folder shared with a virtual machine, or WSL)', reach: 'network' }],
  [0x786f4256, { name: 'vboxsf (a folder shared with a virtual machine)', reach: 'network' }],
  [0x65735546, { name: 'FUSE (sshfs, rclone, GlusterFS, a folder shared with a virtual machine)', reach: 'network' }],
  [0x00c36400, { name: 'CephFS', reach: 'network' }],
  [0x0bd00bd0, { name: 'Lustre', reach: 'network' }],
  [0x47504653, { name: 'GPFS', reach: 'network' }],
  [0x01161970, { name: 'GFS2', reach: 'network' }],
  [0x7461636f, { name: 'OCFS2', reach: 'network' }],
  [0x6b414653, { name: 'AFS', reach: 'network' }],
  [0x5346414f, { name: 'AFS', reach: 'network' }],
  [0x73757245, { name: 'Coda', reach: 'network' }],
])

/** Of the folder, or of where it would be made. macOS does not tell by a number that stays the same: there every disk counts as local. */
export function diskKindOf(folder: string): DiskKind {
  const there = nearestFolder(folder)
  if (process.platform === 'linux') return linuxKind(statfsSync(there).type)
  // A drive letter of a share becomes the share's own name.
  if (process.platform === 'win32' && realpathSync.native(there).startsWith('\\\\')) return { name: 'SMB', reach: 'network' }
  return { name: 'a disk of this system', reach: 'local' }
}

/** Some of the numbers have their highest bit set, and some ways to ask give it as a sign. */
function linuxKind(type: number): DiskKind {
  const magic = type >>> 0
  return linuxKinds.get(magic) ?? { name: `a file system that ph does not know (0x${magic.toString(16)})`, reach: 'unknown' }
}
