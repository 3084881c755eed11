import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.*;
import org.apache.hadoop.yarn.client.api.*;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Floor OUT WIDTH ROUNDS AT [NODE...] - how soon this cluster can run WIDTH processes at once, with no framework between.
 *
 * An application of its own for each of ROUNDS: submitted AT ms past a full second of the clock, its AM asks for WIDTH
 * containers of 64 MB on the nodes named (locality relaxed; none named: anywhere), beats every 50 ms, and starts a shell
 * in each that writes the time and sleeps. Prints a JSON object a round, in ms:
 *
 *   am        submission to the first act of the AM's container
 *   registered  that to the AM's answer from the ResourceManager; here a JVM starts, elsewhere perhaps not
 *   gang      the first ask to the first act of the last process
 *   floor     am + gang: what any program has to wait for YARN alone
 *   total     submission to the first act of the last process
 *
 * A grant waits for the beat of a node, once a second (BEAT_OF_NODES_MS), so the moment of an ask decides. A round that
 * follows another at once meets every beat at the same moment: who measures lets AT go through the second. And an AM
 * whose JVM takes half a second asks at another moment than one that starts at once: the first ask is made whole
 * seconds after the first act of the AM's container, as if no time had passed between.
 *
 * Times are of the one machine's clock. Folder OUT is written to by all of them.
 */
public class Floor {
  static final long BEAT_MS = 50, LIMIT_MS = 120_000, BEAT_OF_NODES_MS = 1000;

  public static void main(String[] args) throws Exception {
    if (args[0].equals("am")) {
      master(Path.of(args[1]), Integer.parseInt(args[2]), List.of(args).subList(3, args.length));
      return;
    }
    YarnConfiguration conf = new YarnConfiguration();
    YarnClient yarn = YarnClient.createYarnClient();
    yarn.init(conf);
    yarn.start();
    for (int round = 0; round < Integer.parseInt(args[2]); round++) {
      Path out = Path.of(args[0]).resolve(args[1] + "-" + round);
      Files.createDirectories(out);
      Thread.sleep(Math.floorMod(Long.parseLong(args[3]) - System.currentTimeMillis(), BEAT_OF_NODES_MS));
      System.out.println(round(yarn, out, Integer.parseInt(args[1]), List.of(args).subList(4, args.length)));
    }
    yarn.stop();
  }

  /** The time in ns, written by a shell that then becomes the command. */
  static String stamped(String file, String command) {
    return "date +%s%N >" + file + ".new && mv " + file + ".new " + file + " && exec " + command;
  }

  static double stampMs(Path file) throws Exception {
    for (long end = System.currentTimeMillis() + LIMIT_MS; !Files.exists(file); Thread.sleep(5))
      if (System.currentTimeMillis() > end) throw new IllegalStateException("no " + file);
    return Long.parseLong(Files.readString(file).trim()) / 1e6;
  }

  static String round(YarnClient yarn, Path out, int width, List<String> nodes) throws Exception {
    StringBuilder am = new StringBuilder(System.getProperty("java.home") + "/bin/java -Xmx96m");
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments())
      if (!option.startsWith("-Xmx")) am.append(' ').append(option);
    am.append(" Floor am ").append(out).append(' ').append(width);
    for (String node : nodes) am.append(' ').append(node);
    am.append(" 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr");

    double begin = System.currentTimeMillis();
    YarnClientApplication application = yarn.createApplication();
    ApplicationSubmissionContext context = application.getApplicationSubmissionContext();
    context.setApplicationName("floor");
    context.setMaxAppAttempts(1);
    context.setResource(Resource.newInstance(128, 1));
    context.setAMContainerSpec(ContainerLaunchContext.newInstance(Map.of(),
        new HashMap<>(Map.of("CLASSPATH", System.getProperty("java.class.path"))),
        List.of(stamped(out + "/am", am.toString())), null, null, null));
    yarn.submitApplication(context);

    ApplicationId id = context.getApplicationId();
    Set<YarnApplicationState> ends =
        EnumSet.of(YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED);
    ApplicationReport report = yarn.getApplicationReport(id);
    for (; !ends.contains(report.getYarnApplicationState()); report = yarn.getApplicationReport(id)) Thread.sleep(50);
    if (report.getFinalApplicationStatus() != FinalApplicationStatus.SUCCEEDED)
      throw new IllegalStateException(id + " " + report.getFinalApplicationStatus() + ": " + report.getDiagnostics());

    double amExec = stampMs(out.resolve("am"));
    String[] seen = Files.readString(out.resolve("seen")).trim().split(" ");  // registered, first ask, last process
    double gang = Double.parseDouble(seen[2]) - Double.parseDouble(seen[1]);
    Map<String, Double> figures = new TreeMap<>();
    figures.put("am", amExec - begin);
    figures.put("registered", Double.parseDouble(seen[0]) - amExec);
    figures.put("gang", gang);
    figures.put("floor", amExec - begin + gang);
    figures.put("total", Double.parseDouble(seen[2]) - begin);
    StringBuilder json = new StringBuilder("{\"width\": " + width);
    figures.forEach((name, ms) -> json.append(String.format(", \"%s\": %.1f", name, ms)));
    return json.append("}").toString();
  }

  static void master(Path out, int width, List<String> nodes) throws Exception {
    YarnConfiguration conf = new YarnConfiguration();
    AMRMClient<AMRMClient.ContainerRequest> rm = AMRMClient.createAMRMClient();
    rm.init(conf);
    rm.start();
    NMClient nm = NMClient.createNMClient();
    nm.init(conf);
    nm.start();
    rm.registerApplicationMaster("localhost", 0, "");
    long registered = System.currentTimeMillis();

    String[] names = nodes.isEmpty() ? null : nodes.toArray(new String[0]);
    List<AMRMClient.ContainerRequest> asks = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      asks.add(new AMRMClient.ContainerRequest(Resource.newInstance(64, 1), names, null, Priority.newInstance(1)));
      rm.addContainerRequest(asks.get(i));
    }
    long sinceExec = System.currentTimeMillis() - (long) stampMs(out.resolve("am"));
    Thread.sleep(Math.floorMod(-sinceExec, BEAT_OF_NODES_MS));
    long asked = System.currentTimeMillis();
    Set<ContainerId> started = new HashSet<>();
    while (started.size() < width) {
      for (Container container : rm.allocate(0).getAllocatedContainers()) {
        if (started.size() == width) {
          rm.releaseAssignedContainer(container.getId());
          continue;
        }
        rm.removeContainerRequest(asks.get(started.size()));
        started.add(container.getId());
        nm.startContainer(container, ContainerLaunchContext.newInstance(Map.of(), Map.of(),
            Collections.singletonList(stamped(out + "/" + container.getId(), "sleep 300")), null, null, null));
      }
      if (System.currentTimeMillis() > asked + LIMIT_MS) throw new IllegalStateException(started.size() + " granted");
      if (started.size() < width) Thread.sleep(BEAT_MS);
    }
    double last = 0;
    for (ContainerId container : started) last = Math.max(last, stampMs(out.resolve(container.toString())));
    Files.writeString(out.resolve("seen"), registered + " " + asked + " " + last + "\n");
    rm.unregisterApplicationMaster(FinalApplicationStatus.SUCCEEDED, "", "");
  }
}
