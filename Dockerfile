# All commands of the product, such as worker and sandbox; the arguments are those of `payouts`.
# Needs glibc: the native core of the Temporal SDK does not run on Alpine.
ARG NODE_IMAGE=node:24.22.2-bookworm-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json LICENSE NOTICE ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY bin bin
COPY scripts scripts
COPY src src
# The workflow bundles are built here, so that a worker starts fast and needs no write access to its code. Then everything goes that
# only builds: the compiler of the bundles, the native core for other platforms and its sources, types and source maps.
RUN npm run build:workflows \
 && cd node_modules \
 && find @temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-*-linux-gnu" -exec rm -r {} + \
 && rm -r @swc @temporalio/core-bridge/sdk-core \
 && find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \) -delete

FROM ${NODE_IMAGE}
ENV NODE_ENV=production PAYOUTS_HOME=/var/lib/payouts XDG_STATE_HOME=/var/lib/payouts HOME=/var/lib/payouts NODE_USE_SYSTEM_CA=1
WORKDIR /app
COPY --from=build /app ./
# The base has no CA certificates, without which neither Temporal Cloud nor a bank can be told from others: those of this Node.
# OpenShift runs containers under a number without a name, in group 0.
RUN install -d /etc/ssl/certs \
 && node -e "console.log(require('node:tls').rootCertificates.join('\n'))" >/etc/ssl/certs/ca-certificates.crt \
 && install -d -o node -g 0 -m 770 /var/lib/payouts /var/lib/payouts-audit
USER node
VOLUME /var/lib/payouts
ENTRYPOINT ["node", "/app/bin/payouts.mjs"]
CMD ["--help"]
