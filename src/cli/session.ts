import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { Bank } from '../bank/bank.ts';
import { type GatewayClient, gatewayClient } from '../channels/http/gateway-client.ts';
import type { OperationHere, Place } from '../channels/http/operation.ts';
import { Problem } from '../domain/problem.ts';
import { keyToken } from '../people/signing/key-token.ts';
import { type TemporalUi, temporalUi } from '../platform/app.ts';
import { bankIdentity } from '../platform/config/bank.ts';
import { assertPolicy, type Config, loadGiven } from '../platform/config.ts';
import type { Stack, StackMode, StackOptions } from '../platform/embedded/stack.ts';
import { OpenedParts } from '../platform/opened-parts.ts';
import { COMMAND_MS } from '../platform/temporal/worker-answer.ts';
import type { BatchSummary } from '../reports/batch-report.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { createOutput, type Output } from './output.ts';

const reports = () => import('../reports/report-batch.ts');

/**
 * What a command has at hand; parts are loaded and opened when first asked for, and closed together. With PAYOUTS_GATEWAY_URL there
 * are none: what can be asked is asked of that gateway.
 */
export class Session implements AsyncDisposable {
  readonly output: Output;
  /** After Ctrl-C: leave without waiting for commands that joined our stack. */
  leaveAtOnce = false;
  private readonly opened = new OpenedParts();
  private openedStore: Promise<Store> | undefined;
  private openedStack: Stack | undefined;
  private openedClient: Promise<Client> | undefined;
  private openedGateway: GatewayClient | undefined;
  private loadedConfig: Config | undefined;
  private givenKey: string | undefined;

  /** Of the configuration file; undefined: as `PAYOUTS_PROFILE` says. */
  readonly profile: string | undefined;

  constructor(options: { json: boolean; quiet: boolean; profile?: string | undefined }) {
    this.profile = options.profile;
    this.output = createOutput(options);
  }

  /** Read at first use: a command that writes or checks a policy also runs if the configured one is broken. */
  get config(): Config {
    this.loadedConfig ??= loadGiven(this.profile);
    return this.loadedConfig;
  }

  /** Has an operation carried out: here, or with PAYOUTS_GATEWAY_URL by that gateway. */
  async ask<Input extends z.ZodObject, Answer extends object>(
    it: OperationHere<Input, Answer>,
    input: z.output<Input>,
  ): Promise<Answer> {
    const { gateway } = this;
    return gateway === undefined ? it.run(await this.here(), input) : gateway.carryOut(it, input);
  }

  /** Says what is in the way of all payouts, for the person who reads the result below; nothing for a program. */
  async sayHindrances(): Promise<void> {
    if (this.output.json) return;
    const { HINDRANCES } = await import('../channels/http/operations/list-operations.ts');
    const { hindrances } = await this.ask(HINDRANCES, {});
    for (const text of hindrances) this.output.say(text);
  }

  /** The same, for an operation that answers text in pieces. */
  async pieces<Input extends z.ZodObject>(
    it: OperationHere<Input, AsyncIterable<string>>,
    input: z.output<Input>,
  ): Promise<AsyncIterable<string>> {
    return this.gateway?.pieces(it, input) ?? it.run(await this.here(), input);
  }

  /** The gateway of PAYOUTS_GATEWAY_URL; undefined without one. */
  get gateway(): GatewayClient | undefined {
    const { url } = this.config.gateway;
    if (url === undefined) return undefined;
    this.openedGateway ??= this.gatewayAt(url);
    return this.openedGateway;
  }

  /** The gateway at an address, which gets the token or a token of the key of this command. `by`: what carries a request. */
  gatewayAt(url: string, by?: typeof fetch): GatewayClient {
    const { tokens } = this.config.gateway;
    return gatewayClient(url, () => tokens.reveal()[0]?.token ?? this.tokenOfKey(url), by);
  }

  /** The private key that the person of this command signs with; undefined: none is given. */
  get key(): string | undefined {
    return this.givenKey ?? this.config.signingKey.reveal();
  }

  /** A key for this command instead of the configured one. */
  holdKey(privateKey: string): void {
    this.givenKey = privateKey;
  }

  private tokenOfKey(url: string): string | undefined {
    const { key } = this;
    return key === undefined ? undefined : keyToken(key, new URL(url).origin, Date.now());
  }

  /** Throws a `Problem` with PAYOUTS_GATEWAY_URL: for what needs a store, a bank or Temporal of its own. */
  assertInPlace(): void {
    if (this.config.gateway.url === undefined) return;
    throw new Problem('usage', 'not-through-gateway', 'This command does not work through a gateway.', {
      hint: 'Run it where store, bank and Temporal are configured, without PAYOUTS_GATEWAY_URL.',
    });
  }

  private async here(): Promise<Place> {
    return {
      config: this.config,
      settings: this.config.settings,
      store: await this.store(),
      caller: { name: undefined },
      now: Date.now,
      client: () => this.client(),
      bank: async () => this.bank(await this.stack()),
      readingBank: async (use) => (await import('./validation-bank.ts')).withValidationBank(this, use),
      liveBank: () => this.liveBank(),
      ui: () => this.ui(),
      liveUi: () => this.liveUi(),
      app: () => Promise.reject(new Error('a command in place asks between plan and claim')),
      answerMs: COMMAND_MS,
      carriedOut: (workflowIds) => this.carriedOut(workflowIds),
    };
  }

  /** A stack booted by this command ends with it: what was asked of it is carried out first. */
  private async carriedOut(workflowIds: readonly string[]): Promise<void> {
    if (!(await this.stack()).owner) return;
    const { untilCarriedOut } = await import('../platform/temporal/workflow-executions.ts');
    const client = await this.client();
    for (const workflowId of workflowIds) await untilCarriedOut(client, workflowId);
  }

  async store(): Promise<Store> {
    this.assertInPlace();
    const { storeUrl, storeConnections } = this.config;
    this.openedStore ??= openStore(storeUrl.reveal(), storeConnections).then((store) =>
      this.opened.adopt(store, (it) => it.close()),
    );
    return this.openedStore;
  }

  /**
   * Throws (exit 2) if the store was first used with another bank, or is a copy beside its original, before anything is booted or
   * asked.
   */
  async assertStoreFits(): Promise<void> {
    const store = await this.store();
    const known = await store.identity();
    if (known.bank !== undefined) await store.identify({ bank: bankIdentity(this.config) });
    const { assertNoCopy } = await import('../platform/this-sender.ts');
    await assertNoCopy(this.config, store);
  }

  /** The stack for this command: joined if one is up, else booted if `mode` allows it. */
  async stack(
    mode: StackMode = 'join-or-boot',
    more: Pick<StackOptions, 'ports' | 'startGateway' | 'stays'> = {},
  ): Promise<Stack> {
    if (this.openedStack === undefined) {
      this.assertInPlace();
      assertPolicy(this.config);
      await this.assertStoreFits();
      const { openStack } = await import('../platform/embedded/open-stack.ts');
      const { embeddedParts } = await import('./embedded-parts.ts');
      const stack = await openStack(this.config, { ...embeddedParts(this.config), mode, ...more });
      this.openedStack = this.opened.adopt(stack, (it) => it.close({ abandonFollowers: this.leaveAtOnce }));
      const [store, client] = [await this.store(), await this.client()];
      const { temporalIdentity } = await import('../platform/temporal/namespace.ts');
      const { assertNamespaceFits } = await import('../platform/temporal/namespace.ts');
      await store.identify(await temporalIdentity(client));
      await assertNamespaceFits(client, store.id, this.config.replacesStore);
    }
    return this.openedStack;
  }

  async client(): Promise<Client> {
    const stack = await this.stack();
    this.openedClient ??= this.connect(stack);
    return this.openedClient;
  }

  private async connect(stack: Stack): Promise<Client> {
    const { connectTemporal } = await import('../platform/temporal/connection.ts');
    return this.opened.adopt(await connectTemporal(this.config, stack), (it) => it.close()).client;
  }

  /** Throws a `StoreIdentityError` if the API key sees other accounts than the store knows. */
  async bank(at?: Pick<Stack, 'apiUrl'>): Promise<Bank> {
    const { apiUrl } = at ?? (await this.stack());
    const store = await this.store();
    const { bankAt } = await import('../platform/open-bank.ts');
    const { assertBankFits } = await import('../platform/store-binding.ts');
    const bank = this.opened.adopt(bankAt(this.config, apiUrl, { store }), (it) => it.close());
    await assertBankFits(this.config, store, bank);
    return bank;
  }

  /** The bank, if one is configured or a stack is up; otherwise undefined: nothing is booted. */
  async liveBank(): Promise<Bank | undefined> {
    const { bank, home } = this.config;
    if (this.openedStack !== undefined) return this.bank(this.openedStack);
    if (bank.kind === 'remote') return this.bank({ apiUrl: bank.url });
    const { answeringStack } = await import('../platform/embedded/open-stack.ts');
    const up = await answeringStack(home);
    return up && this.bank(up);
  }

  /** Where links point: to the configured UI, the stack's, or the one this home used last. */
  async ui(): Promise<TemporalUi> {
    const { config, openedStack } = this;
    const namespace = openedStack?.namespace ?? (await (await this.store()).identity()).namespace ?? 'default';
    return temporalUi(config, { namespace, uiUrl: openedStack?.uiUrl });
  }

  /**
   * Same, but only if it answers after this command: the configured UI, or that of a stack that outlives it; otherwise undefined.
   */
  async liveUi(): Promise<TemporalUi | undefined> {
    const { config, openedStack } = this;
    if (config.uiUrl !== undefined || openedStack?.owner === false) return this.ui();
    if (openedStack?.owner === true) return undefined;
    const { answeringStack } = await import('../platform/embedded/open-stack.ts');
    const up = await answeringStack(config.home);
    return up === undefined ? undefined : temporalUi(config, up);
  }

  private reporting = async () => ({ config: this.config, store: await this.store(), ui: await this.ui() });

  /** Writes the current report files of a batch. */
  async report(batchId: string, isMasked = false): Promise<BatchSummary> {
    const { reportBatch } = await reports();
    return reportBatch(await this.reporting(), batchId, { isMasked });
  }

  /** The document of `--json`, in pieces. */
  async *document(batchId: string): AsyncGenerator<string> {
    if (this.gateway !== undefined) return yield* this.gateway.stream(`/v1/batches/${encodeURIComponent(batchId)}`);
    const { documentOf } = await reports();
    yield* documentOf(await this.reporting(), batchId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened[Symbol.asyncDispose]();
  }
}
