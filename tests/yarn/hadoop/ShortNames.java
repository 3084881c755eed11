import java.io.BufferedReader;
import java.io.InputStreamReader;
import org.apache.hadoop.security.authentication.util.KerberosName;

/** Maps principals with Hadoop's own class. Input: lines of rules, tab, principal. Output: a line of two names each. */
public final class ShortNames {
  private static String map(String rules, String principal, String mechanism) {
    try {
      KerberosName.setRuleMechanism(mechanism);
      KerberosName.setRules(rules);
      return new KerberosName(principal).getShortName();
    } catch (Exception e) {
      return "!";
    }
  }

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line; (line = in.readLine()) != null;) {
      String[] cells = line.split("\t");
      System.out.println(map(cells[0], cells[1], "hadoop") + "\t" + map(cells[0], cells[1], "mit"));
    }
  }
}
