import type { TestPlatform } from './test-platform.ts';

export type CodehostAccess = Pick<TestPlatform, 'codehostUrl' | 'codehostToken'>;

/** Reads the code host directly instead of through the service. */
export class CodehostReader {
  readonly platform: CodehostAccess;

  constructor(platform: CodehostAccess) {
    this.platform = platform;
  }

  async get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.platform.codehostUrl}/api/v3${path}`, {
      headers: { authorization: `Bearer ${await this.platform.codehostToken()}` },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  pulls = async (repo: string) =>
    await this.get<{ number: number; state: string; merged_at: string | null; head: { ref: string } }[]>(
      `/repos/${repo}/pulls?state=all&per_page=100`,
    );
  commits = async (repo: string) =>
    await this.get<{ sha: string; commit: { message: string } }[]>(`/repos/${repo}/commits?per_page=100`);
  tags = async (repo: string) => await this.get<{ name: string; commit: { sha: string } }[]>(`/repos/${repo}/tags`);
  releases = async (repo: string) => await this.get<{ tag_name: string }[]>(`/repos/${repo}/releases`);
}
